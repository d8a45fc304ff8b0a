import Conventions
import JSONBytes

/// A to-one link as its key in the JSON finds it: the property, and the column that keeps it.
struct LinkField {
    let property: PropertyIndex
    let column: ColumnIndex
}

/// What a key says something of: a list.
struct ListSigned: Equatable {
    let list: PropertyIndex
    /// Whether the key has the list's name, and says nothing of others around which it stands.
    let isNamed: Bool

    /// Whether it is said of a list of the model.
    func concerns(_ other: PropertyIndex, in model: ModelSchema) -> Bool {
        isNamed ? other == list : model.isAround(other, what: list)
    }
}

/// The keys of one kind of JSON object, and what each is for. The order in which the last object had them is
/// remembered, as the next one most likely has the same, in the next body too.
@safe final class KeyNode {
    /// What a key's value is for; indexes into the model and the plan, no references.
    enum Action {
        case ignore
        case attribute(ColumnIndex)
        case link(LinkField)
        /// `owner_id`, and `label_ids` for a list.
        case linkIdentity(LinkField)
        case list(PropertyIndex)
        case listIdentities(PropertyIndex)
        /// An attribute and, by the same value, the identities of what a relationship leads to.
        case attributeAndIdentities(ColumnIndex, of: PropertyIndex)
        /// Resource linkage of JSON:API, to one and to many.
        case linkage(LinkField)
        case linkages(PropertyIndex)
        /// A key that differs from the property's in word breaks or letter case: the exact one wins, wherever it is.
        case loose(PropertyIndex)
        /// The same of the key that holds a relationship's identities.
        case looseIdentity(PropertyIndex)
        /// The value is an object that holds values of its own, at a node of the plan.
        case nested(node: Int)
        /// Both: a relationship or an attribute and, within the same object, others by key path.
        case linkAndNested(LinkField, node: Int)
        case attributeAndNested(ColumnIndex, node: Int)
        case listAndNested(PropertyIndex, node: Int)
        /// The value says whether the object is deleted.
        case tombstone
        /// The value says something of a list that it stands beside, or around.
        case pageSign(PageSigns.Key, of: ListSigned)

        /// Whether the key is the property's very one under which it goes out.
        fileprivate func isValue(of property: Property) -> Bool {
            switch self {
            case .linkIdentity(let link): property.isSentByIdentityKey && link.property == property.index
            case .listIdentities(let list): property.isSentByIdentityKey && list == property.index
            case .attributeAndIdentities(let column, let relationship):
                column == property.column || property.isSentByIdentityKey && relationship == property.index
            default: !property.isSentByIdentityKey && isOwnValue(of: property)
            }
        }

        private func isOwnValue(of property: Property) -> Bool {
            switch self {
            case .attribute(let column), .attributeAndNested(let column, _): column == property.column
            case .link(let link), .linkAndNested(let link, _): link.property == property.index
            case .list(let list), .listAndNested(let list, _): list == property.index
            default: false
            }
        }

        /// The node of what is within the value.
        var node: Int? {
            switch self {
            case .nested(let node), .linkAndNested(_, let node), .attributeAndNested(_, let node),
                .listAndNested(_, let node):
                node
            default: nil
            }
        }

        /// The same with what is within its value.
        fileprivate func and(nested node: Int) -> Action {
            switch self {
            case .link(let link): .linkAndNested(link, node: node)
            case .attribute(let column): .attributeAndNested(column, node: node)
            case .list(let property): .listAndNested(property, node: node)
            default: self
            }
        }
    }

    /// What a key is for that is no property's name.
    struct Loose {
        let action: Action
        /// The property that is spelt otherwise here; nil for a key that is none's.
        let property: PropertyIndex?
    }

    struct Guess {
        let name: JSONName
        let action: Action
        /// Whether the body has the key.
        var isFound = true
    }

    /// The keys that lead to it from the object itself; nil where anything may stand, as in a resource's `meta`.
    let path: [String]?
    private let names: JSONNameTable
    /// What its keys are for.
    let actions: [Action]
    /// Finds a property whose name differs from the key only in word breaks and letter case.
    private let loosely: (String) -> Loose?
    /// What that has found for the keys of this body and earlier ones, most of which are no property's.
    private var found: [String: Loose?] = [:]
    /// How many keys are remembered: a service has fewer, and who makes them up takes no more memory.
    private static var mostFound: Int { 256 }
    /// The keys that were found so, and whether they hold identities.
    private(set) var spellings: [(property: PropertyIndex, key: String, isIdentity: Bool)] = []
    /// The keys of the last objects in their order. Allocated once for `limit` guesses, freed in `deinit`; the first
    /// `count` of them are set. The bytes of each name are a copy, which is freed when it is forgotten.
    private let order: UnsafeMutablePointer<Guess>
    private let limit: Int
    private var count = 0
    /// Whether one of them is a property that is spelt otherwise.
    private var hasLoose = false
    /// How long the names are that are remembered: who makes up longer ones takes no memory.
    private static var longestName: Int { 256 }

    init(
        _ entries: [(key: String, action: Action)], at path: [String]?, loosely: @escaping (String) -> Loose?
    ) {
        self.path = path
        names = JSONNameTable(entries.map(\.key))
        actions = entries.map(\.action)
        self.loosely = loosely
        limit = entries.count * 2 + 64
        unsafe order = .allocate(capacity: limit)
    }

    // Guesses are trivial, so there is nothing to deinitialize.
    deinit {
        forgetOrder()
        unsafe order.deallocate()
    }

    private func forgetOrder() {
        for index in 0..<count { unsafe order[index].name.bytes.deallocate() }
        (count, hasLoose) = (0, false)
    }

    /// Forgets what the last body had. The order of its keys stays, unless it tells no more, or some are spelt
    /// otherwise: what these are for is found out of each body.
    func beginBody() {
        if hasLoose || count == limit { forgetOrder() }
        for index in 0..<count { unsafe order[index].isFound = false }
        if !spellings.isEmpty { spellings.removeAll() }
    }

    /// Whether the body had the very key of a property here.
    func hasFound(_ property: Property) -> Bool {
        for index in 0..<count where unsafe order[index].isFound && order[index].action.isValue(of: property) {
            return true
        }
        return false
    }

    /// How many keys are remembered: what `nextAction` is told, so that it need not ask for each key.
    var orderCount: Int { count }

    /// What the next key is for. `expected` is the index in the order at which it is looked for first, below `known`,
    /// and is moved on.
    @inline(__always)
    func nextAction(
        _ reader: inout JSONReader, _ expected: inout Int, below known: Int
    ) throws(JSONError) -> Action {
        if expected < known, unsafe reader.readKey(expecting: order[expected].name) {
            defer { expected += 1 }
            unsafe order[expected].isFound = true
            return unsafe order[expected].action
        }
        return try searchAction(&reader, &expected)
    }

    @inline(never)
    private func searchAction(_ reader: inout JSONReader, _ expected: inout Int) throws(JSONError) -> Action {
        for index in 0..<count where unsafe reader.readKey(expecting: order[index].name) {
            expected = index + 1
            unsafe order[index].isFound = true
            return unsafe order[index].action
        }
        let key = try reader.readKey()
        let action = action(for: key, reader)
        if let name = reader.name(of: key) { remember(name, action, at: &expected) }
        return action
    }

    private func remember(_ name: JSONName, _ action: Action, at index: inout Int) {
        guard count < limit, name.count <= Self.longestName else { return }
        // As many bytes as the copy takes, which are freed when it is forgotten.
        let place = UnsafeMutableRawPointer.allocate(byteCount: name.count, alignment: 1)
        let guess = unsafe Guess(name: name.copied(to: place), action: action)
        index = min(index, count)
        // One more than `count` guesses fit, by the guard.
        for later in stride(from: count, to: index, by: -1) { unsafe order[later] = order[later - 1] }
        unsafe order[index] = guess
        count += 1
        index += 1
    }

    private func action(for key: JSONString, _ reader: borrowing JSONReader) -> Action {
        if let index = names.index(of: key, in: reader) { return actions[index] }
        // A key of more bytes than any property's name has is none, and not worth a string.
        guard key.count < 256 else { return .ignore }
        let text = reader.string(key)
        guard let found = loose(text) else { return .ignore }
        guard let property = found.property else { return found.action }
        hasLoose = true
        if !spellings.contains(where: { $0.property == property && $0.key == text }) {
            let isIdentity = if case .looseIdentity = found.action { true } else { false }
            spellings.append((property, text, isIdentity))
        }
        return found.action
    }

    private func loose(_ key: String) -> Loose? {
        if let known = found[key] { return known }
        let loose = loosely(key)
        if found.count < Self.mostFound { found[key] = .some(loose) }
        return loose
    }
}

/// Makes the nodes of a model's keys: its JSON key paths as a tree.
struct KeyNodeCompiler {
    /// A node in the making.
    private final class Branch {
        /// The keys that lead to it.
        let path: [String]
        var entries: [(key: String, action: KeyNode.Action)] = []
        var branches: [(key: String, branch: Branch)] = []
        /// Which of the model's properties a key may mean that has no entry, but differs only in word breaks or letter
        /// case.
        var scope = Scope.none
        /// The first list within, where the object is one around a list, and none of a model.
        var list: PropertyIndex?
        /// The lists that are members of it, by the letters of their keys.
        var lists: [(letters: String, list: PropertyIndex)] = []

        enum Scope {
            case none, properties, attributes, relationships
        }

        init(_ path: [String] = []) { self.path = path }

        func branch(_ key: String) -> Branch {
            if let known = branches.first(where: { $0.key == key }) { return known.branch }
            let branch = Branch(path + [key])
            branches.append((key, branch))
            return branch
        }
    }

    private let model: ModelSchema
    private let document: DocumentFormat
    /// How many nodes come before these in the plan.
    private let others: Int
    private var nodes: [KeyNode?] = []

    private init(_ model: ModelSchema, _ document: DocumentFormat, after others: Int) {
        self.model = model
        self.document = document
        self.others = others
    }

    /// The nodes in the order in which they are found, the model's own object first.
    ///
    /// - Parameter others: how many nodes come before these in the plan.
    static func nodes(
        of model: ModelSchema, in document: DocumentFormat, after others: Int = 0, tombstones: [String] = []
    ) -> [KeyNode] {
        var compiler = KeyNodeCompiler(model, document, after: others)
        let tree = compiler.tree()
        for key in tombstones where !tree.entries.contains(where: { $0.key == key }) {
            tree.entries.append((key, .tombstone))
        }
        _ = compiler.add(tree)
        return compiler.nodes.compactMap { $0 }
    }

    private func tree() -> Branch {
        let root = Branch()
        var attributes = root
        if document == .jsonAPI {
            attributes = root.branch("attributes")
            attributes.scope = .attributes
            root.branch("relationships").scope = .relationships
        } else {
            root.scope = .properties
        }
        for property in model.declared {
            var branch = root
            for (depth, key) in property.documentPath.dropLast().enumerated() {
                branch = branch.branch(key)
                // `attributes` and `relationships` are parts of the resource itself.
                if property.list != nil, branch.list == nil, document == .plain || depth > 0 {
                    branch.list = property.index
                }
            }
            if property.list != nil, let key = property.documentPath.last {
                branch.lists.append((PageSigns.letters(of: key), property.index))
            }
            // Embedded objects are attributes of a resource.
            let isLinkage = document == .jsonAPI && property.documentPath[0] == "relationships"
            let action = isLinkage ? Self.linkageAction(for: property) : Self.action(for: property)
            branch.entries.append((property.documentPath.last ?? property.name, action))
        }
        for (key, property) in model.identityKeys.sorted(by: { $0.key < $1.key }) {
            let path = key.keyPathKeys ?? [key]
            var branch = attributes
            for part in path.dropLast() { branch = branch.branch(part) }
            let name = path.last ?? key
            if let known = branch.entries.firstIndex(where: { $0.key == name }),
                case .attribute(let column) = branch.entries[known].action
            {
                branch.entries[known].action = .attributeAndIdentities(column, of: property)
            } else {
                branch.entries.append((name, Self.identityAction(for: model[property])))
            }
        }
        return root
    }

    /// What a property's own key is for.
    static func action(for property: Property) -> KeyNode.Action {
        switch (property.kind, property.column) {
        case (.attribute, let column?): .attribute(column)
        case (.toOne, let column?): .link(LinkField(property: property.index, column: column))
        case (.toMany, _): .list(property.index)
        default: .ignore
        }
    }

    private static func linkageAction(for property: Property) -> KeyNode.Action {
        switch action(for: property) {
        case .link(let link): .linkage(link)
        case .list(let property): .linkages(property)
        case let other: other
        }
    }

    private static func identityAction(for property: Property) -> KeyNode.Action {
        guard let column = property.column else { return .listIdentities(property.index) }
        return .linkIdentity(LinkField(property: property.index, column: column))
    }

    /// - Returns: the node's index in the plan.
    private mutating func add(_ branch: Branch) -> Int {
        let index = nodes.count
        nodes.append(nil)
        var entries = branch.entries
        var children: [String: Int] = [:]
        for (key, child) in branch.branches {
            let node = add(child)
            children[key] = node
            if let known = entries.firstIndex(where: { $0.key == key }) {
                entries[known].action = entries[known].action.and(nested: node)
            } else {
                entries.append((key, .nested(node: node)))
            }
        }
        let loosely = Self.looseAction(branch.scope, of: model, children)
        let sign = signAction(of: branch)
        let isFree = document == .jsonAPI && [["links"], ["meta"]].contains(branch.path)
        nodes[index] = KeyNode(entries, at: isFree ? nil : branch.path) { key in loosely(key) ?? sign(key) }
        return others + index
    }

    /// What knows a key that says something of a list: in an object around one, or by the list's name in the object
    /// itself.
    private func signAction(of branch: Branch) -> (String) -> KeyNode.Loose? {
        func loose(_ sign: PageSigns.Key, _ list: PropertyIndex, isNamed: Bool) -> KeyNode.Loose {
            KeyNode.Loose(action: .pageSign(sign, of: ListSigned(list: list, isNamed: isNamed)), property: nil)
        }
        func beside(_ lists: [(letters: String, list: PropertyIndex)]) -> (String) -> KeyNode.Loose? {
            { key in
                for (letters, list) in lists {
                    if let sign = PageSigns.key(key, besideListNamed: letters) {
                        return loose(sign, list, isNamed: true)
                    }
                }
                return nil
            }
        }
        if let list = branch.list {
            let beside = beside(branch.lists)
            return { key in PageSigns.key(key).map { loose($0, list, isNamed: false) } ?? beside(key) }
        }
        let isObject = branch.scope == .properties || branch.scope == .attributes
        return isObject ? beside(model.plainLists) : { _ in nil }
    }

    /// By loose key: the relationships whose identities stand at a key of their own, which is no other's in another
    /// spelling.
    private static func looseIdentityKeys(of model: ModelSchema) -> [String: PropertyIndex] {
        let keys = model.identityKeys.filter { !$0.key.contains(".") }
        return Dictionary(grouping: keys) { InboundNames.looseKey(for: $0.key) }
            .compactMapValues { $0.count == 1 ? $0[0].value : nil }
    }

    /// What finds a property of a node by a key that differs from its name only in word breaks and letter case.
    private static func looseAction(
        _ scope: Branch.Scope, of model: ModelSchema, _ children: [String: Int]
    ) -> (String) -> KeyNode.Loose? {
        let identityKeys = scope == .properties ? looseIdentityKeys(of: model) : [:]
        return { key in
            guard scope != .none else { return nil }
            guard let match = model.names?.inbound.match(key) else {
                let property = identityKeys.isEmpty ? nil : identityKeys[InboundNames.looseKey(for: key)]
                return property.map { KeyNode.Loose(action: .looseIdentity($0), property: $0) }
            }
            let property = model[PropertyIndex(match.property)]
            let action: KeyNode.Action? =
                switch scope {
                case .none: nil
                case .properties: .loose(property.index)
                // `id` and `type` are the resource's own, and no attributes.
                case .attributes: property.documentPath[0] == "attributes" ? .loose(property.index) : nil
                case .relationships:
                    property.target == nil || property.jsonPath.count > 1
                        ? nil : children[property.jsonPath[0]].map { .nested(node: $0) }
                }
            return action.map { KeyNode.Loose(action: $0, property: property.index) }
        }
    }
}
