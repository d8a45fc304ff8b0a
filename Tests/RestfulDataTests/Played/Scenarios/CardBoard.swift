import Foundation
import RestfulData

@Model("/columns") final class CardColumn {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "column") var cards: [BoardCard]
}

@Model("/cards") final class BoardCard {
    var identifier: Int?
    var title = ""
    var column: CardColumn?
}

/// Cards are moved on a board, also in a form that may be cancelled, and by no one else.
final class CardBoard: Scenario {
    enum Step: Sendable {
        /// Out of one list and into another.
        case move(Int, to: Int, at: Int, removes: Bool)
        /// By its link.
        case put(Int, in: Int)
        case rename(Int, title: Int)
        case openForm, saveForm, cancelForm
        case renameInForm(Int, title: Int)
        case saveLocally, sync, restart
        case fetchColumns, fetchCards
        case fetchColumn(Int)
        case fetchCardsOf(Int)
    }

    nonisolated private static let cards = 11...16

    let stage: Stage
    private var columns: [CardColumn] = []
    private var expected = [[11, 12, 13], [14, 15], [16]]
    /// The cards that were put into a column by their link, which has no position.
    private var placeless: Set<Int> = []
    private var titles = Dictionary(uniqueKeysWithValues: cards.map { ($0, "t") })
    private var isSyncing = false
    private var form: Draft?
    private var setInForm: [[Int]] = []
    private var placelessInForm: Set<Int> = []
    private var titlesInForm: [Int: String] = [:]

    init(variant: Int) async throws {
        stage = try Stage([CardColumn.self, BoardCard.self])
        stage.server.with { Self.begin(&$0, embeds: variant % 2 == 0) }
        _ = try await BoardCard.fetchAll(in: stage.main)
        columns = try await CardColumn.fetchAll(in: stage.main)
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(16) {
        case 0...4:
            dice.roll(5) == 0
                ? .put(dice.roll(6), in: dice.roll(3))
                : .move(dice.roll(6), to: dice.roll(3), at: dice.pick(), removes: dice.flip())
        case 5: .rename(dice.roll(6), title: dice.roll(4))
        case 6: .renameInForm(dice.roll(6), title: dice.roll(4))
        case 7: dice.flip() ? .openForm : dice.flip() ? .saveForm : .cancelForm
        case 8: .saveLocally
        case 9...11: .sync
        case 12: dice.flip() ? .fetchColumns : .fetchCards
        case 13: .fetchColumn(dice.roll(3))
        case 14: .fetchCardsOf(dice.roll(3))
        default: .restart
        }
    }

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .move, .put:
            guard let form else { return try move(step, &expected, &placeless, columns) }
            let columns = columns.compactMap { form.object(for: $0) }
            return try move(step, &setInForm, &placelessInForm, columns).map { "in the form, \($0)" }
        case .rename(let index, let title):
            let id = 11 + index
            if form != nil, titlesInForm[id] != nil { return nil }
            titles[id] = "t\(title)"
            try stage.main.find(BoardCard.self, id)?.title = "t\(title)"
            return "\(id).title = t\(title)"
        case .openForm, .saveForm, .cancelForm, .renameInForm: return try takeInForm(step)
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .sync:
            stage.begin { try await self.sync() }
            return "sync"
        case .fetchColumns:
            stage.begin { [main = stage.main] in _ = try await CardColumn.fetchAll(in: main) }
            return "fetch columns"
        case .fetchCards:
            stage.begin { [main = stage.main] in _ = try await BoardCard.fetchAll(in: main) }
            return "fetch cards"
        case .fetchColumn(let index):
            stage.begin { [column = columns[index]] in _ = try await column.fetch() }
            return "fetch column \(index + 1)"
        case .fetchCardsOf(let index):
            stage.begin { [column = columns[index]] in _ = try await column.$cards.fetch() }
            return "fetch cards of column \(index + 1)"
        case .restart:
            guard form == nil else { return nil }
            try await stage.restart { try await stage.main.save() }
            columns = try stage.main.query(CardColumn.self).order(by: { $0.identifier }).fetch()
            return "restart"
        }
    }

    private func takeInForm(_ step: Step) throws -> String? {
        switch (step, form) {
        case (.openForm, nil):
            form = try stage.main.draft()
            (setInForm, placelessInForm, titlesInForm) = (expected, placeless, [:])
            return "open a form"
        case (.renameInForm(let index, let title), let form?):
            let id = 11 + index
            titlesInForm[id] = "d\(title)"
            try form.context.find(BoardCard.self, id)?.title = "d\(title)"
            return "in the form, \(id).title = d\(title)"
        case (.saveForm, let form?):
            try form.save()
            (expected, placeless) = (setInForm, placelessInForm)
            titles.merge(titlesInForm) { $1 }
            self.form = nil
            return "save the form"
        case (.cancelForm, .some):
            form = nil
            return "cancel the form"
        default: return nil
        }
    }

    private func move(
        _ step: Step, _ lists: inout [[Int]], _ placeless: inout Set<Int>, _ columns: [CardColumn]
    ) throws -> String? {
        lists = columns.map { $0.cards.map { $0.identifier ?? -1 } }
        switch step {
        case .put(let index, let to):
            let id = 11 + index
            guard let from = lists.firstIndex(where: { $0.contains(id) }), from != to,
                let card = columns[from].cards.first(where: { $0.identifier == id })
            else { return nil }
            card.column = columns[to]
            lists[from].removeAll { $0 == id }
            lists[to].append(id)
            placeless.insert(id)
            return "\(id).column = \(to + 1)"
        case .move(let index, let to, let pick, let removes):
            let id = 11 + index
            guard let from = lists.firstIndex(where: { $0.contains(id) }),
                let place = lists[from].firstIndex(of: id),
                let card = columns[from].cards.first(where: { $0.identifier == id })
            else { return nil }
            lists[from].remove(at: place)
            let target = pick % (lists[to].count + 1)
            lists[to].insert(id, at: target)
            // A card that stays where it is has no other place than before.
            if from == to, target == place { return nil }
            if from == to {
                var cards = columns[to].cards
                cards.remove(at: place)
                cards.insert(card, at: target)
                columns[to].cards = cards
            } else {
                if removes { columns[from].cards.remove(at: place) }
                columns[to].cards.insert(card, at: target)
            }
            placeless.subtract(lists[to])
            return "\(id) from \(from + 1) to \(to + 1) at \(target)\(removes ? "" : ", by the new list alone")"
        default: return nil
        }
    }

    private var cardsHere: [BoardCard] {
        get throws { try stage.main.query(BoardCard.self).order(by: { $0.identifier }).fetch() }
    }

    private func sync() async throws {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        for column in columns where !column.unsentProperties.isEmpty {
            await stage.attempt { try await column.save() }
        }
        for card in try cardsHere where !card.unsentProperties.isEmpty {
            await stage.attempt { try await card.save() }
        }
    }

    func problem() throws -> String? {
        let here = columns.map { $0.cards.map { $0.identifier ?? -1 } }
        guard isAsSet(here, expected, placeless) else { return "shown is \(here), set was \(expected)" }
        for card in try cardsHere {
            let title = titles[card.identifier ?? 0]
            guard card.title == title else { return "\(card.identifier ?? 0) is \(card.title), set was \(title ?? "")" }
        }
        guard let form else { return nil }
        let shown = columns.map { form.object(for: $0)?.cards.map { $0.identifier ?? -1 } ?? [] }
        return isAsSet(shown, setInForm, placelessInForm) ? nil : "the form shows \(shown), set was \(setInForm)"
    }

    /// Whether each column has the cards that it was given, in the order that was set, if one was.
    private func isAsSet(_ lists: [[Int]], _ set: [[Int]], _ placeless: Set<Int>) -> Bool {
        lists.map(Set.init) == set.map(Set.init)
            && lists.map { $0.filter { !placeless.contains($0) } } == set.map { $0.filter { !placeless.contains($0) } }
    }

    func finish() async throws -> String? {
        form = nil
        for _ in 0..<3 { try await sync() }
        if let problem = try problem() { return "synchronized, \(problem)" }
        let unsent =
            columns.flatMap { column in column.unsentProperties.map { "\(column.name) \($0)" } }
            + (try cardsHere.flatMap { card in card.unsentProperties.map { "\(card.identifier ?? 0) \($0)" } })
        guard unsent.isEmpty else { return "unsent: \(unsent)" }
        let there = stage.server.with { $0.columns.map { $0.ints("card_ids") } }
        guard isAsSet(there, expected, placeless) else { return "the server has \(there), set was \(expected)" }
        _ = try await CardColumn.fetchAll(in: stage.main)
        _ = try await BoardCard.fetchAll(in: stage.main)
        return try problem().map { "fetched, \($0)" }
    }
}

// MARK: - The service

extension CardBoard {
    /// A service that keeps each column's cards in order, and takes a card's column as a move to its end.
    nonisolated private static func begin(_ world: inout PlayWorld, embeds: Bool) {
        world.tables = [
            "cards": cards.map { ["id": .int($0), "title": "t"] },
            "columns": [
                ["id": 1, "name": "todo", "card_ids": [11, 12, 13]], ["id": 2, "name": "doing", "card_ids": [14, 15]],
                ["id": 3, "name": "done", "card_ids": [16]],
            ],
        ]
        world.taking = { world, table, row, body in
            if table == "columns", body["card_ids"] != nil {
                let ids = body.ints("card_ids")
                world.eachColumn { column, cards in if column != row.int("id") { cards.removeAll(where: ids.contains) }
                }
            }
            if table == "cards", body["column_id"] != nil {
                let id = row.int("id")
                row["column_id"] = nil
                world.eachColumn { column, cards in
                    if column != body["column_id"]?.integer {
                        cards.removeAll { $0 == id }
                    } else if !cards.contains(id) {
                        cards.append(id)
                    }
                }
            }
            return [:]
        }
        world.showing = { world, table, row in world.shown(row, of: table, embeds: embeds) }
        world.listing = { world, parts, _ in
            guard parts.count == 3 else { return nil }
            return world.row("columns", parts[1])?.ints("card_ids").compactMap { world.row("cards", "\($0)") }
        }
    }
}

extension PlayWorld {
    fileprivate var columns: [PlayRow] { tables["columns"] ?? [] }

    fileprivate mutating func eachColumn(_ body: (Int, inout [Int]) -> Void) {
        tables["columns"] = columns.map { column in
            var column = column
            var cards = column.ints("card_ids")
            body(column.int("id"), &cards)
            column["card_ids"] = .ints(cards)
            return column
        }
    }

    fileprivate func shown(_ row: PlayRow, of table: String, embeds: Bool) -> PlayRow {
        var row = row
        if table == "cards" {
            row["column_id"] = columns.first { $0.ints("card_ids").contains(row.int("id")) }?["id"] ?? .null
        } else if embeds {
            row["cards"] = .array(
                row.ints("card_ids").map { id in
                    .object(
                        (self.row("cards", "\(id)") ?? ["id": .int(id)]).merging(["column_id": .int(row.int("id"))]) {
                            $1
                        })
                })
            row["card_ids"] = nil
        }
        return row
    }
}
