import Conventions
import JSONBytes

struct LinkField {
    let property: PropertyIndex
    let column: ColumnIndex
}

struct ListSigned: Equatable {
    let list: PropertyIndex
    /// Whether the key contains the list's name. Otherwise the sign is around all lists in the object.
    let isNamed: Bool

    func concerns(_ other: PropertyIndex, in model: ModelSchema) -> Bool {
        isNamed ? other == list : model.isAround(other, what: list)
    }
}

/// The meanings of one kind of object's JSON keys. Remembers their order, also across bodies, since the next object
/// likely has the same.
@safe final class KeyNode {
    /// Has indexes instead of references, which would be retained.
    enum Action {
        case ignore
        case attribute(ColumnIndex)
        case link(LinkField)
        /// The identity of a link's target: `owner_id`.
        case linkIdentity(LinkField)
        case list(PropertyIndex)
        case listIdentities(PropertyIndex)
        /// A relationship's identities are the attribute's value.
        case attributeAndIdentities(ColumnIndex, of: PropertyIndex)
        /// A relationship to one of several models.
        case choice(PropertyIndex, Choice.Role)
        case attributeAndChoice(ColumnIndex, PropertyIndex, Choice.Role)
        /// JSON:API's resource linkage.
        case linkage(LinkField)
        case linkages(PropertyIndex)
        /// A key with other word breaks or letter case. An exact key takes precedence.
        case loose(PropertyIndex)
        case looseIdentity(PropertyIndex)
        /// An object with values of its own.
        case nested(node: Int)
        /// The whole value, and key paths into it.
        case linkAndNested(LinkField, node: Int)
        case attributeAndNested(ColumnIndex, node: Int)
        case listAndNested(PropertyIndex, node: Int)
        case choiceAndNested(PropertyIndex, node: Int)
        case tombstone
        /// A sign around a list, or with its name.
        case pageSign(PageSigns.Key, of: ListSigned)

        /// Whether requests send the property under this key.
        fileprivate func isValue(of property: Property) -> Bool {
            switch self {
            case .linkIdentity(let link): property.isSentByIdentityKey && link.property == property.index
            case .listIdentities(let list): property.isSentByIdentityKey && list == property.index
            case .attributeAndChoice(let column, _, _): column == property.column
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
            case .choice(let choice, .object), .choiceAndNested(let choice, _): choice == property.index
            default: false
            }
        }

        var node: Int? {
            switch self {
            case .nested(let node), .linkAndNested(_, let node), .attributeAndNested(_, let node),
                .listAndNested(_, let node), .choiceAndNested(_, let node):
                node
            default: nil
            }
        }

        fileprivate func and(nested node: Int) -> Action {
            switch self {
            case .link(let link): .linkAndNested(link, node: node)
            case .attribute(let column): .attributeAndNested(column, node: node)
            case .list(let property): .listAndNested(property, node: node)
            case .choice(let property, .object): .choiceAndNested(property, node: node)
            default: self
            }
        }
    }

    struct Loose {
        let action: Action
        let property: PropertyIndex?
    }

    struct Guess {
        let name: JSONName
        let action: Action
        /// Whether the current body has the key.
        var isFound = true
    }

    /// Begins at the object. Nil allows any value, as in a resource's `meta`.
    let path: [String]?
    private let names: JSONNameTable
    let actions: [Action]
    /// Finds keys that `names` lacks.
    private let loosely: (String) -> Loose?
    /// Results of `loosely`, across bodies.
    private var found: [String: Loose?] = [:]
    /// Bounds the memory for invented keys; services have fewer.
    private static var mostFound: Int { 256 }
    private(set) var spellings: [(property: PropertyIndex, key: String, isIdentity: Bool)] = []
    /// Allocated for `limit` guesses; the first `count` are initialized. `forgetOrder` frees the copies of the names.
    private let order: UnsafeMutablePointer<Guess>
    private let limit: Int
    private var count = 0
    private var hasLoose = false
    /// Exact keys that `order` lacks, because white space follows them or it is full. By index in `actions`.
    private var unordered: Set<Int> = []
    /// In bytes; bounds the memory for invented keys.
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

    // Guesses are trivial.
    deinit {
        forgetOrder()
        unsafe order.deallocate()
    }

    private func forgetOrder() {
        for index in 0..<count { unsafe order[index].name.bytes.deallocate() }
        (count, hasLoose) = (0, false)
    }

    /// Keeps the order of keys, unless it is full or has loose ones, which each body must show again.
    func beginBody() {
        if hasLoose || count == limit { forgetOrder() }
        for index in 0..<count { unsafe order[index].isFound = false }
        if !spellings.isEmpty { spellings.removeAll() }
        if !unordered.isEmpty { unordered.removeAll(keepingCapacity: true) }
    }

    func hasFound(_ property: Property) -> Bool {
        for index in 0..<count where unsafe order[index].isFound && order[index].action.isValue(of: property) {
            return true
        }
        return unordered.contains { actions[$0].isValue(of: property) }
    }

    /// For `nextAction`. Saves a load for each key.
    var orderCount: Int { count }

    /// Compares the key first with the one at `expected`, if below `known`, and then advances `expected`.
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
        let exact = names.index(of: key, in: reader)
        let action = if let exact { actions[exact] } else { looseAction(for: key, reader) }
        if let name = reader.name(of: key), remember(name, action, at: &expected) { return action }
        if let exact { unordered.insert(exact) }
        return action
    }

    /// - Returns: whether there is room.
    private func remember(_ name: JSONName, _ action: Action, at index: inout Int) -> Bool {
        guard count < limit, name.count <= Self.longestName else { return false }
        // It is as long as the name. `forgetOrder` frees it.
        let place = UnsafeMutableRawPointer.allocate(byteCount: name.count, alignment: 1)
        let guess = unsafe Guess(name: name.copied(to: place), action: action)
        index = min(index, count)
        // The guard left room.
        for later in stride(from: count, to: index, by: -1) { unsafe order[later] = order[later - 1] }
        unsafe order[index] = guess
        count += 1
        index += 1
        return true
    }

    private func looseAction(for key: JSONString, _ reader: borrowing JSONReader) -> Action {
        // Keys of 256 bytes are longer than any property's.
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

struct KeyNodeCompiler {
    private final class Branch {
        let path: [String]
        var entries: [(key: String, action: KeyNode.Action)] = []
        var branches: [(key: String, branch: Branch)] = []
        /// The meaning of loosely spelled keys.
        var scope = Scope.none
        /// The first list, if this is an object around lists.
        var list: PropertyIndex?
        /// The object's lists, by their keys' letters.
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
    /// Preceding nodes in the plan.
    private let others: Int
    private var nodes: [KeyNode?] = []

    private init(_ model: ModelSchema, _ document: DocumentFormat, after others: Int) {
        self.model = model
        self.document = document
        self.others = others
    }

    static func nodes(
        of model: ModelSchema, in document: DocumentFormat, after others: Int = 0, tombstones: [String] = []
    ) -> [KeyNode] {
        var compiler = KeyNodeCompiler(model, document, after: others)
        let tree = compiler.tree()
        let marked = document == .jsonAPI ? [tree, tree.branch("attributes")] : [tree]
        for branch in marked {
            for key in tombstones where !branch.entries.contains(where: { $0.key == key }) {
                branch.entries.append((key, .tombstone))
            }
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
                // In JSON:API, the outermost keys are the resource's own.
                if property.list != nil, branch.list == nil, document == .plain || depth > 0 {
                    branch.list = property.index
                }
            }
            if property.list != nil, let key = property.documentPath.last {
                branch.lists.append((PageSigns.letters(of: key), property.index))
            }
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
        if document == .plain { for choice in model.declaredChoices { add(choice, to: root) } }
        return root
    }

    /// Adds the choice's keys, unless other relationships have them.
    private func add(_ choice: Choice, to root: Branch) {
        for (path, role) in [(choice.identityPath, Choice.Role.identity), (choice.typePath, .type)] {
            var branch = root
            for part in path.dropLast() { branch = branch.branch(part) }
            guard let name = path.last else { continue }
            guard let known = branch.entries.firstIndex(where: { $0.key == name }) else {
                branch.entries.append((name, .choice(choice.property, role)))
                continue
            }
            if case .attribute(let column) = branch.entries[known].action {
                branch.entries[known].action = .attributeAndChoice(column, choice.property, role)
            }
        }
    }

    static func action(for property: Property) -> KeyNode.Action {
        if property.choice != nil { return .choice(property.index, .object) }
        return switch (property.kind, property.column) {
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

    /// - Returns: the index in the plan.
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

    /// Around lists any sign counts, in the model's own object those with a list's name.
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

    /// The keys of identities by loose form, if unambiguous.
    private static func looseIdentityKeys(of model: ModelSchema) -> [String: PropertyIndex] {
        let keys = model.identityKeys.filter { !$0.key.contains(".") }
        return Dictionary(grouping: keys) { InboundNames.looseKey(for: $0.key) }
            .compactMapValues { $0.count == 1 ? $0[0].value : nil }
    }

    /// The keys of choices by loose form.
    private static func looseChoiceKeys(of model: ModelSchema) -> [String: (PropertyIndex, Choice.Role)] {
        let keys = model.declaredChoices.flatMap { choice in
            [(choice.identityPath, choice.property, Choice.Role.identity), (choice.typePath, choice.property, .type)]
        }
        return Dictionary(
            keys.filter { $0.0.count == 1 }.map { (InboundNames.looseKey(for: $0.0[0]), ($0.1, $0.2)) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func looseAction(
        _ scope: Branch.Scope, of model: ModelSchema, _ children: [String: Int]
    ) -> (String) -> KeyNode.Loose? {
        let identityKeys = scope == .properties ? looseIdentityKeys(of: model) : [:]
        let choiceKeys = scope == .properties ? looseChoiceKeys(of: model) : [:]
        return { key in
            guard scope != .none else { return nil }
            guard let match = model.names?.inbound.match(key) else {
                let loose = InboundNames.looseKey(for: key)
                if let (property, role) = choiceKeys[loose] {
                    return KeyNode.Loose(action: .choice(property, role), property: nil)
                }
                let property = identityKeys.isEmpty ? nil : identityKeys[loose]
                return property.map { KeyNode.Loose(action: .looseIdentity($0), property: $0) }
            }
            let property = model[PropertyIndex(match.property)]
            let action: KeyNode.Action? =
                switch scope {
                case .none: nil
                case .properties: .loose(property.index)
                // Only the resource's own attributes.
                case .attributes: property.documentPath[0] == "attributes" ? .loose(property.index) : nil
                case .relationships:
                    property.documentPath[0] != "relationships" || property.jsonPath.count > 1
                        ? nil : children[property.jsonPath[0]].map { .nested(node: $0) }
                }
            return action.map { KeyNode.Loose(action: $0, property: property.index) }
        }
    }
}
