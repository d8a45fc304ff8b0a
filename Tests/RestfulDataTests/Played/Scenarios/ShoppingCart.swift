import Foundation
import RestfulData

@Model("/carts") final class Cart {
    var identifier: Int?
    var note = ""
    @Attribute(access: .readOnly) var total: Int?
    @Relationship(inverse: "cart") var lines: [CartLine]
}

@Model(embedded: true) final class CartLine {
    var sku = ""
    var quantity = 1
    @Attribute(access: .readOnly) var price: Int?
    var cart: Cart?
}

/// The embedded lines of one cart are edited in place, and by no one else, so that the shown values are those set. The
/// server adds prices, and refuses a quantity of more than nine.
final class ShoppingCart: Scenario {
    enum Step: Sendable {
        case count(Int, quantity: Int)
        case remove(Int)
        case insert(at: Int, sku: Int, quantity: Int)
        case swap(Int, Int)
        case annotate(Int)
        case saveLocally, send, fetch, restart
        case pricesChange(Int)
    }

    let stage: Stage
    private var cart: Cart
    private var expected: [(sku: String, quantity: Int)] = [("a", 1), ("b", 2)]
    private var note = "n"
    private let hasDoubles: Bool
    private var count = 0

    init(variant: Int) async throws {
        hasDoubles = variant % 2 == 1
        stage = try Stage([Cart.self, CartLine.self])
        stage.server.with {
            $0.taking = { _, _, row, _ in Self.price(&row) }
            $0.insert(
                "carts",
                [
                    "id": 1, "note": "n",
                    "lines": [["sku": "a", "quantity": 1], ["sku": "b", "quantity": 2]],
                ])
        }
        cart = try await Cart.fetch(key: 1, in: stage.main)
    }

    nonisolated private static func price(_ row: inout PlayRow) -> [String: [String]] {
        var errors: [String: [String]] = [:]
        var total = 0
        var lines = row.rows("lines")
        for index in lines.indices {
            let quantity = lines[index].int("quantity")
            if quantity > 9 { errors["lines[\(index)].quantity"] = ["is more than is left"] }
            let price = lines[index].text("sku").count * 100 + row.int("raise")
            lines[index]["price"] = .int(price)
            total += price * quantity
        }
        row["lines"] = .array(lines.map { .object($0) })
        row["total"] = .int(total)
        return errors
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(16) {
        case 0...2: .count(dice.pick(), quantity: dice.roll(7) == 0 ? 12 : dice.roll(5) + 1)
        case 3: .remove(dice.pick())
        case 4, 5: .insert(at: dice.pick(), sku: dice.roll(2), quantity: dice.roll(3) + 1)
        case 6: .swap(dice.pick(), dice.pick())
        case 7: .saveLocally
        case 8...10: .send
        case 11, 12: .fetch
        case 13: .annotate(dice.roll(4))
        default: dice.roll(2) == 0 ? .pricesChange(dice.roll(5)) : .restart
        }
    }

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .count(let pick, let quantity):
            guard !expected.isEmpty else { return nil }
            let index = pick % expected.count
            expected[index].quantity = quantity
            cart.lines[index].quantity = quantity
            return "quantity of \(index) = \(quantity)"
        case .remove(let pick):
            guard !expected.isEmpty else { return nil }
            let index = pick % expected.count
            expected.remove(at: index)
            cart.lines.remove(at: index)
            return "remove \(index)"
        case .insert(let pick, let sku, let quantity):
            guard expected.count < 5 else { return nil }
            return insert(at: pick % (expected.count + 1), sku: sku, quantity: quantity)
        case .swap(let one, let other):
            guard expected.count > 1 else { return nil }
            let (one, other) = (one % expected.count, other % expected.count)
            expected.swapAt(one, other)
            cart.lines.swapAt(one, other)
            return "swap \(one) \(other)"
        case .annotate(let number):
            note = "n\(number)"
            cart.note = note
            return "note = \(note)"
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .send:
            stage.begin { [cart] in try await cart.save() }
            return "send"
        case .fetch:
            stage.begin { [cart] in _ = try await cart.fetch() }
            return "fetch"
        case .pricesChange(let raise):
            stage.server.with { $0.change("carts", "1", ["raise": .int(raise)]) }
            return "prices change by \(raise)"
        case .restart:
            try await stage.restart { try await stage.main.save() }
            guard let same = try stage.main.find(Cart.self, 1) else { throw Missing(what: "the cart") }
            cart = same
            return "restart"
        }
    }

    private func insert(at index: Int, sku: Int, quantity: Int) -> String {
        count += 1
        let line = CartLine(in: stage.main)
        line.sku = hasDoubles ? ["a", "b"][sku] : "s\(count)"
        line.quantity = quantity
        cart.lines.insert(line, at: index)
        expected.insert((line.sku, quantity), at: index)
        return "insert \(line.sku) \(quantity) at \(index)"
    }

    private var wanted: [String] { expected.map { "\($0.sku)\($0.quantity)" } }

    func problem() throws -> String? {
        let here = cart.lines.map { "\($0.sku)\($0.quantity)" }
        guard here == wanted else { return "shown is \(here), set was \(wanted)" }
        return cart.note == note ? nil : "the note is \(cart.note), set was \(note)"
    }

    func finish() async throws -> String? {
        for index in expected.indices where expected[index].quantity > 9 {
            expected[index].quantity = 3
            cart.lines[index].quantity = 3
        }
        try await cart.save()
        if let problem = try problem() { return "saved, \(problem)" }
        guard cart.unsentProperties.isEmpty else { return "unsent: \(cart.unsentProperties)" }
        guard let row = stage.server.with({ $0.row("carts", "1") }) else { return "the server has no cart" }
        let there = row.rows("lines").map { "\($0.text("sku"))\($0.int("quantity"))" }
        guard there == wanted else { return "the server has \(there), set was \(wanted)" }
        try await cart.fetch()
        if let problem = try problem() { return "fetched, \(problem)" }
        guard cart.total == row.int("total") else { return "the total is \(cart.total ?? -1), not \(row.int("total"))" }
        let prices = row.rows("lines").map { $0.int("price") }
        guard cart.lines.map(\.price) == prices else { return "prices are \(cart.lines.map(\.price)), not \(prices)" }
        try await stage.main.save()
        return try stage.main.query(CartLine.self).count() == expected.count ? nil : "lines are left behind"
    }
}

/// Something that an app looked for and did not find.
struct Missing: Error {
    let what: String
}
