import Foundation
import RestfulData
import RestfulDataTesting

@Model("/rooms") final class TimelineRoom {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "room", onDelete: .cascade) var messages: [TimelineMessage]
}

@Model("/rooms/:room_id/messages", object: "/messages/:id") final class TimelineMessage {
    var identifier: Int?
    /// Makes a second creation equal to the first.
    var uid = ""
    var text = ""
    var day = 0
    var isUnread = false
    var room: TimelineRoom?
}

/// A room whose messages come page by page, the newest first, while others write and delete and the user's own are
/// sent. Live results, sections and counts always equal a query.
final class Timeline: Scenario {
    enum Step: Sendable {
        case write(day: Int)
        case edit(Int, text: Int)
        case send, sync, saveLocally, restart
        /// The first page, or the next one.
        case scroll
        case fetchAll
        case markRead(Int)
        case delete(Int)
        case othersWrite(day: Int)
        case othersDelete(Int)
        case othersEdit(Int, text: Int)
        /// Others' messages are pushed by the server.
        case push
        case takeBack(Int)
    }

    let stage: Stage
    private var room: TimelineRoom
    private var page: ListPage<TimelineMessage>?
    private var watched: Watched
    /// The user's own messages: their texts.
    private var expected: [String: String] = [:]
    /// The messages read locally.
    private var read: Set<String> = []
    private var gone: Set<String> = []
    private var count = 0
    private var isSyncing = false
    private var isScrolling = false

    /// The app's permanent views.
    @MainActor private final class Watched {
        let byDay: LiveSections<TimelineMessage, Int>
        let newest: LiveResults<TimelineMessage>
        let unread: LiveResults<TimelineMessage>
        let count: LiveValue<TimelineMessage, Int>

        init(_ context: ObjectContext) throws {
            byDay = try context.query(TimelineMessage.self).order(by: { $0.uid }).liveSections(by: { $0.day })
            newest = try context.query(TimelineMessage.self).order(by: { $0.uid }, .descending).limit(4).live()
            unread = try context.query(TimelineMessage.self).where { $0.isUnread }.order(by: { $0.uid }).live()
            count = try context.query(TimelineMessage.self).where { $0.isUnread }.liveCount()
        }

        func problem(_ context: ObjectContext) throws -> String? {
            let all = try context.query(TimelineMessage.self).order(by: { $0.day }).order(by: { $0.uid }).fetch()
            let shown = byDay.flatMap { section in section.map { "\(section.value) \($0.uid)" } }
            let sorted = all.sorted { ($0.day, $0.uid) < ($1.day, $1.uid) }.map { "\($0.day) \($0.uid)" }
            guard shown == sorted else { return "sections are \(shown), not \(sorted)" }
            let last = all.sorted { $0.uid > $1.uid }.prefix(4).map(\.uid)
            guard newest.map(\.uid) == last else { return "the newest are \(newest.map(\.uid)), not \(last)" }
            let open = all.filter(\.isUnread).map(\.uid).sorted()
            guard unread.map(\.uid) == open else { return "unread are \(unread.map(\.uid)), not \(open)" }
            guard count.value == open.count else { return "\(count.value) are unread, not \(open.count)" }
            return nil
        }
    }

    init(variant: Int) async throws {
        stage = try Stage([TimelineRoom.self, TimelineMessage.self])
        stage.server.with { Self.begin(&$0, hasPages: variant % 3 != 0) }
        room = try await TimelineRoom.fetch(key: 1, in: stage.main)
        watched = try Watched(stage.main)
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(24) {
        case 0...3: .write(day: dice.roll(3))
        case 4: .edit(dice.pick(), text: dice.roll(4))
        case 5...7: .send
        case 8, 9: .sync
        case 10: dice.flip() ? .saveLocally : .restart
        case 11...13: .scroll
        case 14: .fetchAll
        case 15: .markRead(dice.pick())
        case 16: .delete(dice.pick())
        case 17, 18: .othersWrite(day: dice.roll(3))
        case 19: .othersDelete(dice.pick())
        case 20: .othersEdit(dice.pick(), text: dice.roll(4))
        case 21, 22: .push
        default: .takeBack(dice.pick())
        }
    }

    private func messages() throws -> [TimelineMessage] {
        try stage.main.query(TimelineMessage.self).order(by: { $0.uid }).fetch()
    }

    private func mine(_ pick: Int) throws -> TimelineMessage? {
        let mine = try messages().filter { expected[$0.uid] != nil && !gone.contains($0.uid) }
        return mine.isEmpty ? nil : mine[pick % mine.count]
    }

    private func any(_ pick: Int) throws -> TimelineMessage? {
        let some = try messages().filter { !gone.contains($0.uid) }
        return some.isEmpty ? nil : some[pick % some.count]
    }

    private func rowAtServer(_ pick: Int) -> PlayRow? {
        let rows = stage.server.with { $0.tables["messages"] ?? [] }
        return rows.isEmpty ? nil : rows[pick % rows.count]
    }

    private func nextUID(_ prefix: String) -> String {
        count += 1
        return prefix + (count < 10 ? "0" : "") + "\(count)"
    }

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .write(let day):
            let message = TimelineMessage(in: stage.main)
            message.uid = nextUID("m")
            message.text = "hello"
            message.day = day
            message.room = room
            expected[message.uid] = "hello"
            return "write \(message.uid) on day \(day)"
        case .edit(let pick, let text):
            guard let message = try mine(pick) else { return nil }
            message.text = "t\(text)"
            expected[message.uid] = message.text
            return "\(message.uid).text = t\(text)"
        case .markRead(let pick):
            guard let message = try any(pick), message.isUnread else { return nil }
            message.isUnread = false
            read.insert(message.uid)
            return "\(message.uid) is read"
        case .takeBack(let pick):
            guard let message = try mine(pick), message.identifier == nil, !isSyncing else { return nil }
            // A message sent without an answer may come back from the server.
            gone.insert(message.uid)
            stage.main.delete(message)
            return "take back \(message.uid)"
        case .delete(let pick):
            guard let message = try mine(pick), message.identifier != nil else { return nil }
            gone.insert(message.uid)
            stage.begin { try await message.delete() }
            return "delete \(message.uid)"
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .restart:
            page = nil
            // Those that others have deleted may have been edited.
            try await stage.restart { await stage.attempt { try await stage.main.save() } }
            guard let same = try stage.main.find(TimelineRoom.self, 1) else { throw Missing(what: "the room") }
            room = same
            watched = try Watched(stage.main)
            return "restart"
        default: return takeOnWire(step) ?? takeElsewhere(step)
        }
    }

    private func takeOnWire(_ step: Step) -> String? {
        switch step {
        case .send:
            stage.begin { try await self.sendNext() }
            return "send the oldest"
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .scroll:
            stage.begin { try await self.scroll() }
            return page == nil ? "fetch the first page" : "fetch the next page"
        case .fetchAll:
            stage.begin { [room] in _ = try await room.$messages.fetch(pages: .all(), prune: .delete) }
            return "fetch all pages"
        default: return nil
        }
    }

    private func takeElsewhere(_ step: Step) -> String? {
        switch step {
        case .othersWrite(let day):
            let uid = nextUID("x")
            stage.server.with {
                _ = $0.insert(
                    "messages",
                    ["uid": .string(uid), "text": "theirs", "day": .int(day), "is_unread": true, "room_id": 1])
            }
            return "others write \(uid) on day \(day)"
        case .othersDelete(let pick):
            guard let row = rowAtServer(pick) else { return nil }
            gone.insert(row.text("uid"))
            stage.server.with { $0.remove("messages", row.id) }
            return "others delete \(row.text("uid"))"
        case .othersEdit(let pick, let text):
            guard let row = rowAtServer(pick), expected[row.text("uid")] == nil else { return nil }
            stage.server.with { $0.change("messages", row.id, ["text": .string("e\(text)"), "day": .int(text)]) }
            return "others edit \(row.text("uid")) e\(text)"
        case .push:
            guard let row = stage.server.with({ $0.tables["messages"]?.last }) else { return nil }
            let json = Data(JSONValue.object(row).jsonText.utf8)
            stage.begin { [main = stage.main] in _ = try await main.import(TimelineMessage.self, from: json) }
            return "\(row.text("uid")) is pushed"
        default: return nil
        }
    }

    private func scroll() async throws {
        guard !isScrolling else { return }
        isScrolling = true
        defer { isScrolling = false }
        if let page, page.hasNext {
            self.page = try await page.next()
        } else {
            page = try await room.$messages.pages().first()
        }
    }

    private func sendNext() async throws {
        guard let message = try messages().first(where: { $0.identifier == nil && expected[$0.uid] != nil }) else {
            return
        }
        try await send(message)
    }

    private func send(_ message: TimelineMessage) async throws {
        if message.identifier == nil {
            do throws(APIError) {
                try await room.$messages.add(message)
            } catch .alreadyCreated(_) {}
        }
        if !message.unsentProperties.isEmpty { try await message.save() }
    }

    private func sync() async {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        for message in (try? messages()) ?? [] where !message.isDeleted && !gone.contains(message.uid) {
            await stage.attempt { try await send(message) }
        }
    }

    func problem() throws -> String? {
        if let problem = try watched.problem(stage.main) { return problem }
        let all = try messages()
        for (uid, text) in expected.sorted(by: { $0.key < $1.key }) where !gone.contains(uid) {
            let same = all.filter { $0.uid == uid }
            guard same.contains(where: { $0.text == text }) else {
                return "\(uid) is \(same.map(\.text)), set was \(text)"
            }
            guard same.allSatisfy({ $0.room === room }) else { return "\(uid) is in no room" }
        }
        if let open = all.first(where: { $0.isUnread && read.contains($0.uid) && !gone.contains($0.uid) }) {
            return "\(open.uid) is unread again"
        }
        let members = room.messages
        if let missing = all.first(where: { message in message.room === room && !members.contains { $0 === message } })
        {
            return "\(missing.uid) is not in its room's list"
        }
        guard Set(members.map(ObjectIdentifier.init)).count == members.count else { return "one is in the list twice" }
        let known = members.compactMap(\.identifier)
        return Set(known).count == known.count ? nil : "two of the list have one identity"
    }

    func finish() async throws -> String? {
        // Withdrawn messages are deleted before the next fetch.
        await stage.attempt { try await stage.main.save() }
        for _ in 0..<3 {
            await sync()
            await stage.attempt { _ = try await room.$messages.fetch(pages: .all(), prune: .delete) }
        }
        await stage.attempt { try await stage.main.save() }
        if let problem = try problem() { return "synchronized, \(problem)" }
        let there = stage.server.with { $0.tables["messages"] ?? [] }
        let wanted = there.reversed().map(\.id)
        // Edits of a message that others have deleted stay until the next fetch.
        let known = Set(there.map { $0.text("uid") })
        let left = Set(
            try messages().filter {
                !known.contains($0.uid) && gone.contains($0.uid) && !$0.unsentProperties.isEmpty
            }.map(\.uid))
        let here = room.messages.filter { !left.contains($0.uid) }.map {
            $0.identifier.map { "\($0)" } ?? "new \($0.uid)"
        }
        guard here == wanted else { return "the list is \(here), the server's \(wanted)" }
        // A message that has left the list is in no room any more.
        let shown = Set(
            try messages().filter { !gone.contains($0.uid) && $0.room != nil }.map {
                "\($0.uid) \($0.text) \($0.day) \($0.isUnread)"
            })
        let said = Set(
            there.filter { !gone.contains($0.text("uid")) }.map {
                "\($0.text("uid")) \($0.text("text")) \($0.int("day")) \($0["is_unread"]?.bool ?? false)"
            })
        guard shown == said else { return "here is \(shown.sorted()), the server has \(said.sorted())" }
        let lost = expected.keys.filter { uid in !gone.contains(uid) && !known.contains(uid) }
        return lost.isEmpty ? nil : "\(lost.sorted()) are lost"
    }
}

// MARK: - The service

extension Timeline {
    nonisolated private static func begin(_ world: inout PlayWorld, hasPages: Bool) {
        world.tables = ["rooms": [["id": 1, "name": "r"]], "messages": []]
        world.isNewestFirst = true
        world.pageSize = hasPages ? 3 : 100
        for index in 1...7 {
            world.insert(
                "messages",
                [
                    "uid": .string("s0\(index)"), "text": "old", "day": .int(index / 3), "is_unread": true,
                    "room_id": 1,
                ])
        }
        world.listing = { world, parts, _ in parts.last == "messages" ? world.tables["messages"] : nil }
        world.routing = { world, method, parts, body in
            guard method == "POST", parts.count == 3 else { return nil }
            // One that is there already.
            guard body["message_ids"] == nil else { return .status(204) }
            if let row = (world.tables["messages"] ?? []).first(where: { $0["uid"] == body["uid"] }) {
                world.change("messages", row.id, body)
                return .json(.object(world.row("messages", row.id) ?? row))
            }
            let row = world.insert("messages", body.merging(["room_id": 1]) { $1 })
            return .json(.object(row), status: 201)
        }
    }
}
