import RestfulData

@testable import ObjectStore

/// A whole graph as a context shows it, fact by fact.
@MainActor
struct GraphView {
    /// The value of each object, or of each object's property.
    private(set) var facts: [String: String] = [:]
    /// The facts that one edit sets as a whole, and that lead somewhere if they are links.
    private(set) var wholes: Set<String> = []
    /// The links, and the row of each object.
    private(set) var links: Set<String> = []
    private(set) var rows: [String: RowID] = [:]
    /// Contradictory facts.
    private(set) var problems: [String] = []
    private(set) var objects: [(kind: Kind, object: any Model)] = []
    private let world: SimulatedWorld

    init(of context: ObjectContext, _ world: SimulatedWorld) throws {
        self.world = world
        for kind in world.kinds {
            let found = try kind.fetch(context)
            let (counted, all) = try kind.count(context)
            if counted != all { problems.append("\(kind.name): \(counted) are counted, \(all) found") }
            objects += found.map { (kind, $0) }
        }
        for (kind, object) in objects { note(kind, object) }
        for (kind, object) in objects { compareSides(kind, object) }
    }

    /// The row of a fact's object.
    func owner(of fact: String) -> RowID? { rows[String(fact.prefix { $0 != "." })] }

    /// Whether a fact is also the other view's, where objects may have other names.
    func says(_ fact: String, of other: GraphView) -> Bool {
        let kind = fact.prefix { $0 != " " }
        guard let owner = owner(of: fact),
            let label = other.rows.first(where: { $0.value == owner && $0.key.hasPrefix("\(kind) ") })?.key
        else { return false }
        let known = other.facts[label + fact.drop { $0 != "." }]
        guard links.contains(fact), let target = facts[fact].flatMap({ rows[$0] }) else { return facts[fact] == known }
        return known.flatMap { other.rows[$0] } == target
    }

    func label(_ object: any Model) -> String {
        world.kinds.first { $0.has(object) }?.label(object) ?? "\(type(of: object))"
    }

    private mutating func note(_ kind: Kind, _ object: any Model) {
        let label = kind.label(object)
        if object.isDeleted { problems.append("\(label) is found and deleted") }
        if facts.updateValue("here", forKey: label) != nil { problems.append("\(label) is here twice") }
        rows[label] = object._object.localID
        for attribute in kind.attributes {
            let name = "\(label).\(attribute.name)"
            facts[name] = attribute.read(object)
            if attribute.isWhole { wholes.insert(name) }
        }
        for relation in kind.relations {
            let name = "\(label).\(relation.name)"
            let targets = relation.read(object)
            facts[name] = targets.map { self.label($0) }.joined(separator: ", ")
            if !relation.isList { links.insert(name) }
            if !relation.isList, !targets.isEmpty { wholes.insert(name) }
            if Set(targets.map { ObjectIdentifier($0) }).count != targets.count {
                problems.append("\(name) has one twice: \(facts[name] ?? "")")
            }
            for target in targets where target.isDeleted {
                problems.append("\(name) leads to \(self.label(target)), which is deleted")
            }
        }
    }

    private mutating func compareSides(_ kind: Kind, _ object: any Model) {
        for relation in kind.relations {
            for target in relation.read(object) {
                guard objects.contains(where: { $0.object === target }) else {
                    problems.append("\(label(object)).\(relation.name) leads to \(label(target)), which is not found")
                    continue
                }
                guard let name = relation.inverse,
                    let other = world.kinds.first(where: { $0.has(target) })?.relations.first(where: { $0.name == name }
                    )
                else { continue }
                if !other.read(target).contains(where: { $0 === object }) {
                    problems.append("\(label(object)).\(relation.name) has \(label(target)), which does not lead back")
                }
            }
        }
    }

    /// The facts that differ from the other view's.
    func differences(from other: GraphView, isOrdered: Bool = true) -> [String] {
        let names = Set(facts.keys).union(other.facts.keys).filter {
            isOrdered ? facts[$0] != other.facts[$0] : Self.members(facts[$0]) != Self.members(other.facts[$0])
        }
        return names.sorted().map { "\($0): \(facts[$0] ?? "gone") rather than \(other.facts[$0] ?? "gone")" }
    }

    /// Those of a list, unordered.
    static func members(_ list: String?) -> [String]? {
        list?.split(separator: ",").map { String($0.drop { $0 == " " }) }.sorted()
    }

    /// Whether a query of an object's inverse links has the same result as following all links.
    func disagreement(
        on kind: Kind, _ relation: Relation, with target: any Model, in context: ObjectContext
    ) throws -> String? {
        guard let ask = relation.ask else { return nil }
        let found = Set(try ask(context, target).map { label($0) })
        let followed = Set(
            objects.filter { relation.has($0.object) && relation.read($0.object).contains { $0 === target } }
                .map { label($0.object) })
        guard found != followed else { return nil }
        return
            "\(kind.name).\(relation.name) with \(label(target)): \(found.sorted()) are found, not \(followed.sorted())"
    }
}
