import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Lists that keep their objects between one read and the next, and are edited by their differences.
@MainActor
@Suite struct LongListTests {
    let store: Store
    var main: ObjectContext { store.main }

    init() throws {
        store = try Store(of: [Album.self, Track.self])
    }

    private func album(with count: Int) async throws -> Album {
        let tracks = (0..<count).map { #"{"id": \#($0 + 1), "title": "\#($0 + 1)"}"# }.joined(separator: ",")
        let json = #"{"id": 1, "tracks": [\#(tracks)], "favourites": [\#(tracks)]}"#
        return try #require(try await main.take(Album.self, json).objects.first)
    }

    private func titles(_ album: Album) -> [String] { album.tracks.map(\.title) }

    @Test func `A list is read again after changes by others`() async throws {
        let album = try await album(with: 40)
        #expect(titles(album) == (1...40).map(String.init))
        try await store.takeElsewhere(Track.self, #"{"id": 41, "title": "41", "album_id": 1}"#)
        #expect(album.tracks.count == 41 && album.tracks.last?.title == "41")
        try await store.takeElsewhere(Album.self, #"{"id": 1, "tracks": [{"id": 2}, {"id": 1}]}"#)
        #expect(titles(album) == ["2", "1"])
    }

    @Test func `A list omits deleted members until the deletion is rolled back`() async throws {
        let album = try await album(with: 40)
        let tracks = album.tracks
        main.delete(tracks[3])
        #expect(titles(album) == (1...40).filter { $0 != 4 }.map(String.init))
        #expect(album.favourites.count == 39)
        main.rollback()
        #expect(titles(album) == (1...40).map(String.init) && album.favourites.count == 40)
        main.delete(tracks[0])
        album.tracks.append(Track(in: main))
        #expect(album.tracks.count == 40 && album.tracks.first === tracks[1])
        try await main.save()
        #expect(album.tracks.count == 40 && album.tracks.first === tracks[1])
    }

    @Test func `Both sides follow in-place edits of a list`() async throws {
        let album = try await album(with: 40)
        let other = Album(in: main)
        let (first, second) = (album.tracks[0], album.tracks[1])
        let new = Track(in: main)
        album.tracks.insert(new, at: 20)
        #expect(new.album === album && album.tracks[20] === new)
        album.tracks.removeAll { $0 === first }
        #expect(first.album == nil && album.tracks.first === second)
        album.tracks[0] = first
        #expect(second.album == nil && first.album === album && album.tracks.count == 40)
        album.tracks.swapAt(0, 39)
        #expect(album.tracks.last === first)
        second.album = other
        other.tracks.append(first)
        #expect(album.tracks.count == 39 && !album.tracks.contains { $0 === first } && other.tracks.count == 2)
        try await main.save()
        let saved = try await store.background { try $0.find(Album.self, 1)?.tracks.map(\.title) }
        #expect(saved == titles(album) && saved?.count == 39)
    }

    @Test func `A duplicate or foreign object isn't added to a list`() async throws {
        let album = try await album(with: 40)
        let second = album.tracks[1]
        album.tracks.append(second)
        #expect(album.tracks.count == 40)
        album.favourites += [second, second]
        #expect(album.favourites.count == 40)
        let draft = try main.draft()
        album.tracks.append(Track(in: draft.context))
        #expect(album.tracks.count == 40)
        await #expect(throws: StoreError.self) { try await main.save() }
        let doomed = Track(in: main)
        main.delete(doomed)
        album.tracks.append(doomed)
        #expect(album.tracks.count == 40)
    }

    @Test func `A list may be read and edited during an in-place edit`() async throws {
        let album = try await album(with: 40)
        album.tracks.removeAll { track in
            guard track.title == "5" else { return false }
            _ = album.tracks.count
            album.tracks.removeLast()
            return true
        }
        // The outer change is based on the original list, and is applied last.
        #expect(album.tracks.count == 39 && !titles(album).contains("5") && titles(album).last == "40")
        try await main.save()
        #expect(album.tracks.count == 39)
    }

    @Test func `A list set back to the file's members has no edit`() async throws {
        let album = try await album(with: 40)
        let last = album.favourites.removeLast()
        #expect(album.changedProperties == ["favourites"])
        album.favourites.append(last)
        #expect(album.changedProperties.isEmpty && !main.hasChanges)
        album.favourites.append(Track(in: main))
        album.favourites.removeLast()
        #expect(album.changedProperties.isEmpty)
    }

    @Test func `Unreferenced members of a list are released some steps after it was read`() async throws {
        let album = try await album(with: 40)
        weak let last = album.tracks.last
        album.tracks[39].title = "edited"
        main.rollback()
        #expect(last != nil)
        main.releaseUnsaved()
        #expect(last == nil && album.tracks.count == 40)
        weak let first = album.tracks.first
        main.releaseUnsaved()
        _ = album.tracks.first
        for id in 100..<120 { try await store.takeElsewhere(Track.self, #"{"id": \#(id)}"#) }
        #expect(first == nil)
    }

    @Test func `Objects of an answer are found again unless they were deleted`() async throws {
        let album = try await album(with: 40)
        let tracks = album.tracks
        let rows = tracks.map(\._object.localID)
        func found(_ rows: [RowID]) -> [Track] { main.answeredObjects(Track.self, of: rows) }
        #expect(found(rows) == tracks && found(rows) == tracks && found(rows.reversed()) == tracks.reversed())
        #expect(found(Array(rows[..<20])) == Array(tracks[..<20]))
        main.delete(tracks[3])
        #expect(found(rows) == tracks.filter { $0 !== tracks[3] })
        main.rollback()
        #expect(found(rows) == tracks)
        try await store.background { context in try context.find(Track.self, 40).map { context.delete($0) } }
        #expect(found(rows) == tracks.dropLast() && tracks[39].isDeleted)
    }

    @Test func `Reading a list doesn't retain a released context`() async throws {
        weak var context: ObjectContext?
        do {
            let own = try Store(of: [Album.self, Track.self])
            let album = try #require(try await own.main.take(Album.self, 40.albumJSON).objects.first)
            context = own.main
            own.main.releaseUnsaved()
            #expect(album.tracks.count == 40 && album.favourites.count == 40)
            album.tracks.removeLast()
            #expect(album.tracks.count == 39)
        }
        await until { context == nil }
    }

    /// The same edits, in place and by assignment, come to the same, in memory, for the other side and in the file.
    @Test(arguments: 1...30) func `In-place edits of a list equal assignments`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let other = try Store(of: [Album.self, Track.self])
        let size = Int.random(in: 14...40, using: &random)
        let json = size.albumJSON
        let inPlace = try #require(try await main.take(Album.self, json).objects.first)
        let assigned = try #require(try await other.main.take(Album.self, json).objects.first)
        var next = 1000
        for step in 0..<60 {
            let edit = RandomListEdit(of: inPlace.tracks.count, &next, &random)
            let isLinks = Bool.random(using: &random)
            if isLinks {
                edit.apply(to: &inPlace.tracks, in: main)
                var members = assigned.tracks
                edit.apply(to: &members, in: other.main)
                assigned.tracks = members
            } else {
                edit.apply(to: &inPlace.favourites, in: main)
                var members = assigned.favourites
                edit.apply(to: &members, in: other.main)
                assigned.favourites = members
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let isRefused = try await save(main)
                #expect(try await save(other.main) == isRefused, "seed \(seed), step \(step)")
            case 1:
                main.rollback()
                other.main.rollback()
            case 2:
                next += 1
                let json = #"{"id": \#(next), "title": "\#(next)", "album_id": 1}"#
                try await store.takeElsewhere(Track.self, json)
                try await other.takeElsewhere(Track.self, json)
            case 3:
                if let (own, others) = Array(zip(inPlace.tracks, assigned.tracks)).randomElement(using: &random) {
                    main.delete(own)
                    other.main.delete(others)
                }
            default: break
            }
            #expect(inPlace.summary == assigned.summary, "seed \(seed), step \(step), \(edit)")
            #expect(inPlace.changedProperties == assigned.changedProperties, "seed \(seed), step \(step), \(edit)")
        }
        let isRefused = try await save(main)
        #expect(try await save(other.main) == isRefused && inPlace.summary == assigned.summary)
        let saved = try await store.background { try $0.find(Album.self, 1)?.summary }
        #expect(saved == inPlace.summary)
    }

    /// Saves the edits.
    ///
    /// - Returns: whether a list had a member twice, so that its edit, or several of both lists, was not made.
    private func save(_ context: ObjectContext) async throws -> Bool {
        do {
            try await context.save()
            return false
        } catch let error where error.isOfRepeatedMembers {
            try await context.save()
            return true
        }
    }
}

extension StoreError {
    /// Whether the error is only about lists that were given a member twice.
    fileprivate var isOfRepeatedMembers: Bool {
        switch self {
        case .repeatedMember: true
        case .several(let errors): errors.allSatisfy(\.isOfRepeatedMembers)
        default: false
        }
    }
}

/// An edit of a list.
private enum RandomListEdit {
    case append(String)
    case insert(String, Int)
    case remove(Int)
    case removeLast
    case swap(Int, Int)
    case replace(Int, String)
    case duplicate(Int)
    case reverse, removeHalf, nothing

    init(of count: Int, _ next: inout Int, _ random: inout SeededGenerator) {
        next += 1
        let name = "\(next)"
        guard count > 1 else {
            self = .append(name)
            return
        }
        func place() -> Int { Int.random(in: 0..<count, using: &random) }
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: self = .append(name)
        case 5, 6: self = .insert(name, place())
        case 7: self = .remove(place())
        case 8: self = .removeLast
        case 9, 10: self = .swap(place(), place())
        case 11: self = .replace(place(), name)
        case 12: self = .duplicate(place())
        case 13: self = .reverse
        case 14: self = .removeHalf
        default: self = .nothing
        }
    }

    @MainActor func apply(to tracks: inout [Track], in context: ObjectContext) {
        // Both lists of an album may differ by now.
        func place(_ place: Int) -> Int? { tracks.isEmpty ? nil : place % tracks.count }
        func new(_ name: String) -> Track {
            let track = Track(in: context)
            track.title = name
            return track
        }
        switch self {
        case .append(let name): tracks.append(new(name))
        case .insert(let name, let at): tracks.insert(new(name), at: place(at) ?? 0)
        case .remove(let at): if let at = place(at) { tracks.remove(at: at) }
        case .removeLast: _ = tracks.popLast()
        case .swap(let one, let other):
            if let one = place(one), let other = place(other) { tracks.swapAt(one, other) }
        case .replace(let at, let name): if let at = place(at) { tracks[at] = new(name) }
        case .duplicate(let at): if let at = place(at) { tracks.append(tracks[at]) }
        case .reverse: tracks.reverse()
        case .removeHalf: tracks.removeLast(tracks.count / 4)
        case .nothing: break
        }
    }
}

extension Int {
    fileprivate var albumJSON: String {
        let tracks = (1...self).map { #"{"id": \#($0), "title": "\#($0)"}"# }.joined(separator: ",")
        return #"{"id": 1, "tracks": [\#(tracks)], "favourites": [\#(tracks)]}"#
    }
}

@Model
final class Album {
    var identifier: Int?
    @Relationship(inverse: "album") var tracks: [Track]
    @Relationship(inverse: "fans") var favourites: [Track]

    /// Both lists and their inverses.
    fileprivate var summary: [String] {
        tracks.map { "\($0.title) \($0.album === self)" } + ["-"]
            + favourites.map { "\($0.title) \($0.fans.count)" }
    }
}

@Model
final class Track {
    var identifier: Int?
    var title = ""
    var album: Album?
    @Relationship(inverse: "favourites") var fans: [Album]
}
