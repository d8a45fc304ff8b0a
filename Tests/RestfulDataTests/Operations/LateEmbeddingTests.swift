import RestfulData
import RestfulDataTesting
import Testing

/// Embedded objects have the values of the later request's answer, in whichever order the answers come.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LateEmbeddingTests {
    /// Bodies of one order: the original one, and the answers to an earlier and a later request.
    struct Answers: Sendable, CustomTestStringConvertible {
        let known: String
        let older: String
        let newer: String
        var testDescription: String { "\(known), \(older), \(newer)" }
    }

    nonisolated private static let states = [
        "null", #"{"street": "a"}"#, #"{"street": "b", "tags": [{"text": "x"}]}"#, #"{"street": "b", "tags": []}"#,
    ]

    nonisolated private static func all(_ states: [String]) -> [Answers] {
        states.flatMap { known in
            states.flatMap { older in
                states.compactMap { newer in
                    older == newer ? nil : Answers(known: known, older: older, newer: newer)
                }
            }
        }
    }

    private func ask(_ known: String, older: String, newer: String) async throws -> Order {
        let held = HeldTransport()
        let store = try Store.held(by: held, Shop.models)
        let order = try await store.imported(Order.self, #"{"id": 1, \#(known)}"#)
        let asking = Task { _ = try await Order.fetchAll(in: store.main) }
        await held.wait(for: 1)
        let askingAgain = Task { try await order.fetch() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 1, \#(newer)}"#))
        try await askingAgain.value
        held.answer(0, .json(#"[{"id": 1, "note": "older", \#(older)}]"#))
        try await asking.value
        #expect(order.note == "older")
        return order
    }

    private func describe(_ address: Address?) -> String {
        guard let address else { return "null" }
        let tags = address.tags.map { #"{"text": "\#($0.text)"}"# }.joined(separator: ", ")
        return #"{"street": "\#(address.street)", "tags": [\#(tags)]}"#
    }

    @Test(arguments: all(states)) func `An embedded object has the values of the later request's answer`(
        _ answers: Answers
    ) async throws {
        let order = try await ask(
            #""address": \#(answers.known)"#, older: #""address": \#(answers.older)"#,
            newer: #""address": \#(answers.newer)"#)
        let expected = answers.newer == #"{"street": "a"}"# ? #"{"street": "a", "tags": []}"# : answers.newer
        #expect(describe(order.address) == expected)
    }

    @Test(arguments: all(["[]", #"[{"name": "p"}]"#, #"[{"name": "q"}, {"name": "p"}]"#]))
    func `An embedded list has the elements of the later request's answer`(_ answers: Answers) async throws {
        let order = try await ask(
            #""items": \#(answers.known)"#, older: #""items": \#(answers.older)"#, newer: #""items": \#(answers.newer)"#
        )
        let items = order.items.map { #"{"name": "\#($0.name)"}"# }.joined(separator: ", ")
        #expect("[\(items)]" == answers.newer)
    }

    @Test func `Embedded objects that only the older answer has are taken from it`() async throws {
        let order = try await ask(
            #""address": null"#, older: #""address": {"street": "a"}, "items": [{"name": "p"}]"#,
            newer: #""payments": []"#)
        #expect(order.address?.street == "a" && order.items.map(\.name) == ["p"])
    }
}
