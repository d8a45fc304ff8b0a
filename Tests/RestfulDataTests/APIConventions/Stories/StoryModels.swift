import RestfulData

/// The models of services whose objects have a number and whose tracks are below their album.
enum Numbered {
    @Model("/albums")
    final class Album: StoryAlbum {
        var identifier: Int?
        var title = ""
        var note: String?
        @Relationship(inverse: "album") var tracks: [Track]

        var trackTitles: [String] { tracks.map(\.title) }

        func addTrack() async throws {
            guard let context else { return }
            let track = Track(in: context)
            track.title = "Wise One"
            try await $tracks.add(track)
        }

        func removeTrack() async throws { try await $tracks.delete(tracks[0]) }
    }

    @Model("/albums/:album.id/tracks")
    final class Track {
        var identifier: Int?
        var title = ""
        var album: Album?
    }
}

/// Stripe's: objects with a text for an identity, below `/v1`.
enum Charged {
    @Model("/v1/albums")
    final class Album: StoryAlbum {
        var identifier: String?
        var title = ""
        var note: String?
        @Relationship(inverse: "album") var tracks: [Track]

        var trackTitles: [String] { tracks.map(\.title) }

        func addTrack() async throws {
            guard let context else { return }
            let track = Track(in: context)
            track.title = "Wise One"
            try await $tracks.add(track)
        }

        func removeTrack() async throws { try await $tracks.delete(tracks[0]) }
    }

    @Model("/v1/albums/:album.id/tracks")
    final class Track {
        var identifier: String?
        var title = ""
        var album: Album?
    }
}

/// OData's: keys in parentheses.
enum Catalogued {
    @Model("/Albums", object: "/Albums(:id)")
    final class Album: StoryAlbum {
        var identifier: Int?
        var title = ""
        var note: String?
        @Relationship(inverse: "album") var tracks: [Track]

        var trackTitles: [String] { tracks.map(\.title) }

        func addTrack() async throws {
            guard let context else { return }
            let track = Track(in: context)
            track.title = "Wise One"
            try await $tracks.add(track)
        }

        func removeTrack() async throws { try await $tracks.delete(tracks[0]) }
    }

    @Model("/Albums(:album.id)/Tracks", object: "/Albums(:album.id)/Tracks(:id)")
    final class Track {
        var identifier: Int?
        var title = ""
        var album: Album?
    }
}

/// Google's: each object has its resource name.
enum ResourceNamed {
    @Model("/albums", key: "name", identity: "name")
    final class Album: StoryAlbum {
        var name: String?
        var title = ""
        var note: String?
        @Relationship(inverse: "album") var tracks: [Track]

        var trackTitles: [String] { tracks.map(\.title) }

        func addTrack() async throws {
            guard let context else { return }
            let track = Track(in: context)
            track.title = "Wise One"
            try await $tracks.add(track)
        }

        func removeTrack() async throws { try await $tracks.delete(tracks[0]) }
    }

    @Model("/:album.name/tracks", key: "name", identity: "name")
    final class Track {
        var name: String?
        var title = ""
        var album: Album?
    }
}

/// FHIR's Library, whose related artifacts are parts of it.
enum Healthy {
    @Model("/Library")
    final class Library: StoryAlbum {
        var identifier: String?
        var title = ""
        @Attribute("description") var note: String?
        var relatedArtifact: [RelatedArtifact]

        var trackTitles: [String] { relatedArtifact.map(\.display) }

        func addTrack() async throws {
            guard let context else { return }
            let artifact = RelatedArtifact(in: context)
            artifact.type = "documentation"
            artifact.display = "Wise One"
            relatedArtifact = [artifact]
            try await save()
        }

        func removeTrack() async throws {
            relatedArtifact = []
            try await save()
        }
    }

    @Model(embedded: true)
    final class RelatedArtifact {
        var type = ""
        var display = ""
    }
}

/// Mastodon's lists of accounts.
enum Tooting {
    @Model("/api/v1/lists")
    final class List: StoryAlbum {
        var identifier: String?
        var title = ""
        @Attribute("replies_policy") var note: String?
        @Relationship("/api/v1/lists/:id/accounts", inverse: nil) var accounts: [Account]

        static var lastNote: String? { "none" }
        var trackTitles: [String] { accounts.map(\.acct) }

        func addTrack() async throws {
            guard let context else { return }
            try await $accounts.add(try await Account.fetch(key: "5", in: context))
        }

        func removeTrack() async throws { try await $accounts.delete(accounts[0]) }
    }

    @Model("/api/v1/accounts")
    final class Account {
        var identifier: String?
        var acct = ""
    }
}

/// Strapi's documents, of which each has a URL at the root.
enum Documented {
    @Model("/api/albums", key: "documentId", identity: "documentId")
    final class Album: StoryAlbum {
        var documentId: String?
        var title = ""
        var note: String?
        @Relationship(inverse: "album") var tracks: [Track]

        var trackTitles: [String] { tracks.map(\.title) }

        func addTrack() async throws {
            guard let context else { return }
            let track = Track(in: context)
            track.title = "Wise One"
            track.album = self
            try await track.create()
        }

        func removeTrack() async throws {
            let track = tracks[0]
            track.album = nil
            try await track.save()
        }
    }

    @Model("/api/tracks", key: "documentId", identity: "documentId")
    final class Track {
        var documentId: String?
        var title = ""
        var album: Album?
    }
}
