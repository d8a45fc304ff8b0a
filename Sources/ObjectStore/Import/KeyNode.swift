import JSONBytes

/// The keys of one kind of JSON object, and what each is for. The order in which the last object had them is remembered,
/// as the next one most likely has the same.
final class KeyNode {
    /// What a key's value is for; indexes into the plan, no references.
    enum Action {
        case ignore
        case attribute(column: Int)
        case link(column: Int, property: Int)
        case linkIdentity(column: Int, property: Int)
        case list(property: Int)
        case listIdentities(property: Int)
        /// The value is an object that holds values of its own, at a node of the plan.
        case nested(node: Int)
        /// Both: a relationship and, within the same object, attributes by key path.
        case linkAndNested(column: Int, property: Int, node: Int)
    }

    struct Guess {
        let name: JSONName
        let action: Action
    }

    let names: JSONNameTable
    private let actions: [Action]
    /// Finds a property whose name differs from the key only in word breaks and letter case.
    private let loosely: (String) -> Action?
    /// Names point into the body, so they are forgotten with it.
    private(set) var order: [Guess] = []

    init(_ entries: [(String, Action)], loosely: @escaping (String) -> Action?) {
        names = JSONNameTable(entries.map(\.0))
        actions = entries.map(\.1)
        self.loosely = loosely
    }

    func forgetOrder() { order.removeAll(keepingCapacity: true) }

    /// What the next key is for. `expected` is the place in `order` where it is looked for first, and is moved on.
    @inline(__always)
    func nextAction(_ reader: inout JSONReader, _ expected: inout Int) throws(JSONError) -> Action {
        if expected < order.count, reader.readKey(expecting: order[expected].name) {
            defer { expected += 1 }
            return order[expected].action
        }
        return try searchAction(&reader, &expected)
    }

    @inline(never)
    private func searchAction(_ reader: inout JSONReader, _ expected: inout Int) throws(JSONError) -> Action {
        for place in order.indices where reader.readKey(expecting: order[place].name) {
            expected = place + 1
            return order[place].action
        }
        let key = try reader.readKey()
        let action = action(for: key, reader)
        if order.count < names.count * 2 + 64, let name = reader.name(of: key) {
            order.insert(Guess(name: name, action: action), at: min(expected, order.count))
            expected += 1
        }
        return action
    }

    private func action(for key: JSONString, _ reader: borrowing JSONReader) -> Action {
        if let index = names.index(of: key, in: reader) { return actions[index] }
        // A key of more bytes than any property's name has is none, and not worth a string.
        guard key.count < 256 else { return .ignore }
        return loosely(reader.string(key)) ?? .ignore
    }
}
