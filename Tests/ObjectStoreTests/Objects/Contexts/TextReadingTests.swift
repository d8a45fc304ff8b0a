import Foundation
import RestfulData
import Testing

@testable import ObjectStore

/// A text is made once for each row that is read.
@MainActor
@Suite struct TextReadingTests {
    private let long = String(repeating: "é long text, ", count: 10)

    @Test func `A text that was read keeps up with edits, merges and rollbacks`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "\#(long)", "name": null}"#).objects.first)
        for _ in 0..<2 {
            #expect(user.login == long)
            #expect(user.name == nil)
            #expect(user.identifier == 1)
        }
        user.login = "edited"
        #expect(user.login == "edited")
        store.main.rollback()
        #expect(user.login == long)
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "\u0001", "name": ""}"#)
        for _ in 0..<2 {
            #expect(user.login == "\u{1}")
            #expect(user.name == "")
        }
        // Queries find a value that was read, and setting it again leaves it unedited.
        #expect(try store.main.query(User.self).where { $0.login == "\u{1}" }.first() === user)
        user.login = "\u{1}"
        #expect(!user.hasChanges)
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "\#(long)", "name": null}"#)
        #expect(user.login == long)
        #expect(user.name == nil)
    }

    @Test func `A text that was read isn't decoded again when other columns change`() async throws {
        let store = try Store(of: World.models)
        let user = User(in: store.main)
        (user.identifier, user.login, user.name) = (1, long, String(repeating: "x", count: 1025))
        try await store.main.save()
        #expect(isRead(user))
        // A long text is decoded from the row's bytes when it is read.
        let name = try #require(index(of: "name", in: user._object))
        #expect(!user._object.isReady(name.rawValue))
        #expect(user.name?.utf8.count == 1025)
        #expect(user._object.isReady(name.rawValue))
        try await elsewhere(store) { $0.name = "short" }
        #expect(isRead(user))
        #expect(user.login == long)
        #expect(user.name == "short")
        // As long as before.
        let other = String(long.dropLast()) + "."
        try await elsewhere(store) { $0.login = other }
        #expect(!isRead(user))
        #expect(user.login == other)
    }

    @Test func `Texts in different code points are distinguished when read`() async throws {
        let store = try Store(of: World.models)
        let user = User(in: store.main)
        let (one, two) = ("q\u{307}\u{323}", "q\u{323}\u{307}")
        (user.identifier, user.login) = (1, one)
        try await store.main.save()
        #expect(Array(user.login.unicodeScalars) == Array(one.unicodeScalars))
        try await elsewhere(store) { $0.login = two }
        #expect(Array(user.login.unicodeScalars) == Array(two.unicodeScalars))
        user.login = one
        #expect(user.hasChanges)
    }

    private func elsewhere(_ store: Store, _ edit: @escaping @Sendable (User) -> Void) async throws {
        try await store.background { context in
            try edit(#require(try context.find(User.self, 1)))
            try await context.save()
        }
        try store.main.reading { _ in }
    }

    /// Whether the login is in its slot as a text.
    private func isRead(_ user: User) -> Bool {
        guard let login = index(of: "login", in: user._object) else { return false }
        return user._object.isReady(login.rawValue)
    }

    private func index(of property: String, in object: ObjectState) -> PropertyIndex? {
        object.model.properties.first { $0.name == property }?.index
    }

    @Test func `Submodel properties and dates keep up with edits, merges and rollbacks`() async throws {
        let store = try Store(of: Activity.models + [Sample.self])
        let body = #"{"id": 1, "type": "PushEvent", "size": 3, "ref": "\#(long)"}"#
        let push = try #require(try await store.main.take(PushEvent.self, body).objects.first)
        let sample = try #require(
            try await store.main.take(Sample.self, #"{"id": 1, "date": "1970-01-01T00:00:07Z"}"#).objects.first)
        for _ in 0..<2 {
            #expect(push.size == 3)
            #expect(push.branch == long)
            #expect(sample.date?.timeIntervalSince1970 == 7)
        }
        (push.size, push.branch, sample.date) = (4, nil, nil)
        #expect(push.size == 4)
        #expect(push.branch == nil)
        #expect(sample.date == nil)
        store.main.rollback()
        #expect(push.size == 3)
        #expect(push.branch == long)
        #expect(sample.date?.timeIntervalSince1970 == 7)
        try await store.takeElsewhere(PushEvent.self, #"{"id": 1, "type": "PushEvent", "size": 5, "ref": null}"#)
        try await store.takeElsewhere(Sample.self, #"{"id": 1, "date": null}"#)
        #expect(push.size == 5)
        #expect(push.branch == nil)
        #expect(sample.date == nil)
    }
}
