import RestfulData
import Testing

/// An album of whichever service, as the story of ``StyleStoryTests`` has it.
protocol StoryAlbum: Model {
    init(in context: ObjectContext)
    var title: String { get set }
    var note: String? { get set }
    /// The album's tracks, by their titles.
    var trackTitles: [String] { get }
    /// The note that an edit leaves.
    static var lastNote: String? { get }
    /// Adds one in the service's way.
    func addTrack() async throws
    /// Removes it likewise.
    func removeTrack() async throws
}

extension StoryAlbum {
    static var lastNote: String? { nil }
}

/// One story for every style: list, page, create, edit, add to a list, remove, a validation error, a conflict, delete.
@MainActor struct AlbumStory<Album: StoryAlbum> {
    /// The service's error about an empty title.
    let refusal: String

    func run(in context: ObjectContext) async throws {
        var pages: [[String]] = []
        for try await page in Album.pages(size: 2, in: context) { pages.append(page.objects.map(\.title)) }
        #expect(pages == [["Blue Train", "Giant Steps"], ["Coltrane's Sound"]])

        let album = Album(in: context)
        album.title = "Blue"
        album.note = "draft"
        try await album.create()
        #expect(!album.hasChanges && album.isKnownToServer)

        album.title = "Crescent"
        album.note = Album.lastNote
        try await album.save()
        #expect(!album.hasChanges && album.title == "Crescent" && album.note == Album.lastNote)

        try await album.addTrack()
        #expect(album.trackTitles == ["Wise One"])
        try await album.removeTrack()
        #expect(album.trackTitles == [])

        try await refuse(album)
        try await contradict(album)
        try await album.delete()
        #expect(album.isDeleted)
        #expect(try context.query(Album.self).fetch().count == 3)
    }

    private func refuse(_ album: Album) async throws {
        album.title = ""
        do {
            try await album.save()
            Testing.Issue.record("An album without a title was saved.")
        } catch APIError.reply(let error) {
            #expect(error.kind == .validation && error.fields == ["title": [refusal]])
        }
        album.title = "Crescent"
        #expect(!album.hasChanges)
    }

    /// Another client has changed the title meanwhile.
    private func contradict(_ album: Album) async throws {
        album.title = "Ascension"
        do {
            try await album.save()
            Testing.Issue.record("An album that another client has changed was saved.")
        } catch APIError.conflict(let conflict) {
            #expect(conflict.local.attributes["title"] == .text("Ascension"))
            #expect(conflict.server?.attributes["title"] == .text("Meditations"))
        }
        album.title = "Crescent"
        try await album.fetch()
        #expect(album.title == "Meditations")
    }
}
