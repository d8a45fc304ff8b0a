import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random queries in a draft that is edited along with its base context, and about embedded objects. The result must
/// equal a plain filter over the objects' properties.
@MainActor
@Suite struct DraftQueryOracleTests {
    @Test(arguments: UInt64(0)..<16)
    func `A query in a draft matches a filter of its objects`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, Edits.body(&generator))
        let draft = try store.main.draft()
        var (outer, inner) = (Edits(context: store.main), Edits(context: draft.context))
        for step in 0..<8 {
            for _ in 0..<Int.random(in: 0...2, using: &generator) { try outer.edit(&generator) }
            for _ in 0..<Int.random(in: 0...3, using: &generator) { try inner.edit(&generator) }
            let kind = Int.random(in: 0..<8, using: &generator)
            try await change(draft, of: store, by: kind) {
                try await store.takeElsewhere(Issue.self, Edits.body(&generator))
            }
            let note = "seed \(seed).\(step) \(kind): \(outer.log), \(inner.log)"
            for context in [draft.context, store.main] {
                for _ in 0..<5 {
                    let isSame =
                        switch Int.random(in: 0..<3, using: &generator) {
                        case 0: try agrees(Probe<User>.any(&generator, depth: 2), context, note)
                        case 1: try agrees(Probe<Repository>.any(&generator, depth: 2), context, note)
                        default: try agrees(Probe<Issue>.any(&generator, depth: 2), context, note)
                        }
                    guard isSame else { return }
                }
            }
        }
    }

    @Test(arguments: UInt64(0)..<16)
    func `A query of embedded objects matches a filter of them`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store(of: [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        try await store.main.take(Customer.self, Self.body(&generator))
        let draft = try store.main.draft()
        for step in 0..<8 {
            for _ in 0..<Int.random(in: 1...3, using: &generator) { try Self.edit(store.main, &generator) }
            for _ in 0..<Int.random(in: 0...2, using: &generator) { try Self.edit(draft.context, &generator) }
            let kind = Int.random(in: 0..<8, using: &generator)
            try await change(draft, of: store, by: kind) {
                try await store.takeElsewhere(Customer.self, Self.body(&generator))
            }
            let note = "seed \(seed).\(step) \(kind)"
            for context in [draft.context, store.main] {
                for _ in 0..<5 { guard try agrees(Self.probe(&generator), context, note) else { return } }
                guard try agrees(Self.phone(&generator), context, note) else { return }
            }
        }
    }

    /// Saves the draft or its base context, rolls either back, lets another context commit, or only compares.
    private func change(_ draft: Draft, of store: Store, by kind: Int, others: () async throws -> Void) async throws {
        switch kind {
        case 0: try? draft.save()
        case 1: try? await store.main.save()
        case 2: draft.rollback()
        case 3: store.main.rollback()
        case 4: try await others()
        default: break
        }
    }

    private func agrees<M: Model>(_ probe: Probe<M>, _ context: ObjectContext, _ note: String) throws -> Bool {
        let query = context.query(M.self).where { _ in probe.predicate }
        let found = try query.fetch()
        let expected = try context.query(M.self).fetch().filter(probe.holds)
        let isSame = found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init)
        #expect(isSame, "\(probe.words): \(found.count) of \(expected.count), \(note)")
        let count = try query.count()
        #expect(count == expected.count, "\(probe.words), \(note)")
        return isSame && count == expected.count
    }

    private static let texts = ["a", "b", "c"]

    private static func phone(_ generator: inout SeededGenerator) -> Probe<Phone> {
        let (phone, text) = (Phone.properties, texts.randomElement(using: &generator) ?? "a")
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Probe("number == \(text)", phone.number == text) { $0.number == text }
        case 1: return Probe("customer == nil", phone.customer == nil) { $0.customer == nil }
        case 2: return Probe("customer.name", phone.customer.name == text) { $0.customer?.name == text }
        default:
            return Probe("customer.address.street", phone.customer.address.street != text) {
                $0.customer?.address?.street != text
            }
        }
    }

    private static func probe(_ generator: inout SeededGenerator) -> Probe<Customer> {
        let (customer, text) = (Customer.properties, texts.randomElement(using: &generator) ?? "a")
        let number = Int.random(in: 0...2, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return Probe("address == nil", customer.address == nil) { $0.address == nil }
        case 1: return Probe("street == \(text)", customer.address.street == text) { $0.address?.street == text }
        case 2: return Probe("zip != \(text)", customer.address.zip != text) { $0.address?.zip != text }
        case 3:
            return Probe("country.name", customer.address.country.name == text) { $0.address?.country?.name == text }
        case 4:
            return Probe("lines.count \(number)", customer.address.lines.count == number) {
                $0.address.map { $0.lines.count == number } ?? false
            }
        case 5:
            return Probe("lines.contains \(text)", customer.address.lines.contains { $0.text == text }) {
                $0.address?.lines.contains { $0.text == text } ?? false
            }
        case 6: return Probe("phones.isEmpty", customer.phones.isEmpty) { $0.phones.isEmpty }
        case 7:
            return Probe("phones.contains", customer.phones.contains { $0.number == text && $0.kind == nil }) {
                $0.phones.contains { $0.number == text && $0.kind == nil }
            }
        case 8:
            return Probe("phones.allSatisfy", customer.phones.allSatisfy { $0.customer.name == text }) {
                $0.phones.allSatisfy { $0.customer?.name == text }
            }
        default: return Probe("phones.count", customer.phones.count > number) { $0.phones.count > number }
        }
    }

    private static func edit(_ context: ObjectContext, _ generator: inout SeededGenerator) throws {
        let text = texts.randomElement(using: &generator) ?? "a"
        guard let customer = try context.query(Customer.self).fetch().randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: customer.name = text
        case 1: customer.address?.street = text
        case 2: customer.address = nil
        case 3:
            let address = Address(in: context)
            (address.street, customer.address) = (text, address)
        case 4: customer.address?.country = try context.query(Country.self).fetch().randomElement(using: &generator)
        case 5:
            let line = Line(in: context)
            line.text = text
            customer.address?.lines.append(line)
        case 6: customer.address?.lines = []
        case 7:
            let phone = Phone(in: context)
            (phone.number, phone.customer) = (text, customer)
        case 8: if !customer.phones.isEmpty { customer.phones.removeFirst() }
        case 9: customer.phones.first?.number = text
        case 10: context.delete(customer)
        default: _ = Customer(in: context)
        }
    }

    private static func body(_ generator: inout SeededGenerator) -> String {
        func text() -> String { "\"\(texts.randomElement(using: &generator) ?? "a")\"" }
        let customers = (1...5).map { id -> String in
            let lines = (0..<Int.random(in: 0...2, using: &generator)).map { _ in "{\"text\": \(text())}" }
            let phones = (0..<Int.random(in: 0...2, using: &generator)).map { _ in "{\"number\": \(text())}" }
            let address = """
                {"street": \(text()), "zip": \(text()), "country": {"code": \(text()), "name": \(text())},
                 "lines": [\(lines.joined(separator: ","))]}
                """
            return """
                {"id": \(id), "name": \(text()), "address": \(Bool.random(using: &generator) ? "null" : address),
                 "phones": [\(phones.joined(separator: ","))]}
                """
        }
        return "[" + customers.joined(separator: ",") + "]"
    }
}
