import JSONBytes

/// The keys of one kind of JSON object, and what each is for. The order in which the last object had them is remembered,
/// as the next one most likely has the same.
@safe final class KeyNode {
    /// What a key's value is for; indexes into the plan, no references.
    enum Action {
        case ignore
        case attribute(column: Int)
        case link(column: Int, property: Int)
        case linkIdentity(column: Int, property: Int)
        case list(property: Int)
        case listIdentities(property: Int)
        /// Resource linkage of JSON:API, to one and to many.
        case linkage(column: Int, property: Int)
        case linkages(property: Int)
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
    /// The keys of the last objects in their order. Allocated once for `limit` guesses, freed in `deinit`; the first
    /// `count` of them are set. Names point into the body, so they are forgotten with it.
    private let order: UnsafeMutablePointer<Guess>
    private let limit: Int
    private var count = 0

    init(_ entries: [(String, Action)], loosely: @escaping (String) -> Action?) {
        names = JSONNameTable(entries.map(\.0))
        actions = entries.map(\.1)
        self.loosely = loosely
        limit = entries.count * 2 + 64
        unsafe order = .allocate(capacity: limit)
    }

    // Guesses are trivial, so there is nothing to deinitialize.
    deinit { unsafe order.deallocate() }

    func forgetOrder() { count = 0 }

    /// How many keys are remembered: what `nextAction` is told, so that it need not ask for each key.
    var orderCount: Int { count }

    /// What the next key is for. `expected` is the place in the order where it is looked for first, below `known`, and is
    /// moved on.
    @inline(__always)
    func nextAction(
        _ reader: inout JSONReader, _ expected: inout Int, below known: Int
    ) throws(JSONError) -> Action {
        if expected < known, unsafe reader.readKey(expecting: order[expected].name) {
            defer { expected += 1 }
            return unsafe order[expected].action
        }
        return try searchAction(&reader, &expected)
    }

    @inline(never)
    private func searchAction(_ reader: inout JSONReader, _ expected: inout Int) throws(JSONError) -> Action {
        for place in 0..<count where unsafe reader.readKey(expecting: order[place].name) {
            expected = place + 1
            return unsafe order[place].action
        }
        let key = try reader.readKey()
        let action = action(for: key, reader)
        if let name = reader.name(of: key) { remember(Guess(name: name, action: action), at: &expected) }
        return action
    }

    private func remember(_ guess: Guess, at place: inout Int) {
        guard count < limit else { return }
        place = min(place, count)
        // One more than `count` guesses fit, by the line before the last.
        for later in stride(from: count, to: place, by: -1) { unsafe order[later] = order[later - 1] }
        unsafe order[place] = guess
        count += 1
        place += 1
    }

    private func action(for key: JSONString, _ reader: borrowing JSONReader) -> Action {
        if let index = names.index(of: key, in: reader) { return actions[index] }
        // A key of more bytes than any property's name has is none, and not worth a string.
        guard key.count < 256 else { return .ignore }
        return loosely(reader.string(key)) ?? .ignore
    }
}
