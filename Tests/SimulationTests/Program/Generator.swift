import Foundation
import TestSupport

/// A random program, the same for the same seed.
///
/// Each program has a mood of its own: some kinds of steps are frequent in it, and some are absent.
struct Generator {
    private var random: SeededGenerator
    private var weights: [(weight: Int, step: (inout Generator) -> Step?)] = []
    private var names: [Kind: [Int]] = [:]
    private var lastTag = 0
    private var lastValue = 0
    private var isFaulty = false
    /// Whether others create things as well, and the server begins by not sending the labels of items.
    private var isMadeByOthers = false
    /// Whether there are few values, so that some are set back; otherwise each shows its origin.
    private var hasFewValues = false
    /// The steps that follow before others.
    private var next: [Step] = []
    let contexts: Int

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        contexts = Int.random(in: 2...3, using: &random)
        isFaulty = Bool.random(using: &random)
        isMadeByOthers = chance(3) == 0
        hasFewValues = chance(2) == 0
        weights = Self.verbs.map { verb in
            let factor = [0, 1, 1, 1, 3].randomElement(using: &random) ?? 1
            return (verb.isOptional ? verb.weight * factor : verb.weight, verb.step)
        }
    }

    mutating func program(_ count: Int) -> [Step] {
        // Half of the programs begin with things of the server; the others create their own.
        var steps: [Step] = isMadeByOthers ? [.serverLabels(false)] : []
        if isMadeByOthers || chance(2) == 0 { steps += world() }
        while steps.count < count {
            if let step = step() { steps.append(step) }
        }
        return steps.filter { step in !Self.leftOut.contains { step.description.contains($0) } }
    }

    private mutating func world() -> [Step] {
        var steps: [Step] = []
        while lastTag < 8 {
            switch make() {
            case .make(_, let name)?: steps += [.make(in: 0, name), .create(in: 0, name, .whole)]
            case let step?:
                steps.append(step)
                steps += next
                next = []
            case nil: continue
            }
        }
        if isMadeByOthers {
            steps += [
                .fetchAll(in: 0, .label, .whole), .fetchAll(in: 1, .item, .whole), .fetchAll(in: 0, .owner, .whole),
            ]
        }
        return steps + [.settle(pick: 0)]
    }

    /// Steps left out of all programs, to look past known faults: `SIMULATION_WITHOUT="serverLists(true) .badge"`.
    private static let leftOut = (ProcessInfo.processInfo.environment["SIMULATION_WITHOUT"] ?? "")
        .split(separator: " ").map(String.init)

    private mutating func step() -> Step? {
        if !next.isEmpty { return next.removeFirst() }
        // A world with a few things in it, before anything else.
        if lastTag < 4 { return make() }
        var place = chance(weights.reduce(0) { $0 + $1.weight })
        for (weight, step) in weights {
            if place < weight { return step(&self) }
            place -= weight
        }
        return nil
    }

    // MARK: Choices

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<max(count, 1), using: &random) }
    private mutating func context() -> Int { chance(contexts) }
    private mutating func pick() -> UInt64 { UInt64(chance(1000)) }
    private mutating func kind() -> Kind { [.owner, .item, .item, .label, .badge][chance(5)] }
    private mutating func field() -> Field { Field.allCases[chance(2)] }
    private mutating func relation() -> Relation { Relation.allCases[chance(4)] }
    private mutating func side() -> Side { Side.allCases[chance(2)] }

    private mutating func name(_ kind: Kind) -> Name? {
        names[kind]?.randomElement(using: &random).map { Name(kind: kind, tag: $0) }
    }

    private mutating func name() -> Name? { name(kind()) }

    private mutating func fate() -> Step.Fate {
        guard isFaulty else { return [.whole, .whole, .partial, .bare][chance(4)] }
        return Step.Fate.allCases[chance(Step.Fate.allCases.count)]
    }

    private mutating func make() -> Step? {
        let kind = kind()
        guard (names[kind]?.count ?? 0) < 5 else { return nil }
        lastTag += 1
        names[kind, default: []].append(lastTag)
        let name = Name(kind: kind, tag: lastTag)
        guard isMadeByOthers, chance(3) != 0 else { return .make(in: context(), name) }
        // Things created by others have labels that were sent to no client.
        if kind == .item {
            for _ in 0..<2 { if let label = self.name(.label) { next.append(.serverLink(.labels, name, label)) } }
        }
        return .serverMake(name)
    }

    private mutating func value() -> Int {
        if hasFewValues { return 1 + chance(3) }
        lastValue += 1
        return lastValue
    }

    // MARK: Verbs

    private struct Verb: Sendable {
        let weight: Int
        var isOptional = true
        let step: @Sendable (inout Generator) -> Step?
    }

    private static let verbs: [Verb] = [
        Verb(weight: 3) { $0.make() },
        Verb(weight: 12) { g in g.name().map { .edit(in: g.context(), $0, g.field(), g.value()) } },
        Verb(weight: 14) { $0.relate(true) },
        Verb(weight: 6) { $0.relate(false) },
        Verb(weight: 1) { g in g.name().map { .discard(in: g.context(), $0) } },
        Verb(weight: 1) { g in .rollback(in: g.context()) },
        Verb(weight: 10, isOptional: false) { g in .save(in: g.context()) },
        Verb(weight: 8, isOptional: false) { g in g.name().map { .create(in: g.context(), $0, g.fate()) } },
        Verb(weight: 8, isOptional: false) { g in g.name().map { .send(in: g.context(), $0, g.fate()) } },
        Verb(weight: 1) { g in g.name().map { .destroy(in: g.context(), $0, g.fate()) } },
        Verb(weight: 3) { g in g.name().map { .fetch(in: g.context(), $0, g.fate()) } },
        Verb(weight: 3) { g in .fetchAll(in: g.context(), g.kind(), g.fate()) },
        Verb(weight: 2) { g in
            let relation = g.relation()
            return g.name(relation.target).map { .fetchList(in: g.context(), relation, $0, g.fate()) }
        },
        Verb(weight: 5) { $0.sendMembership() },
        Verb(weight: 2) { g in .take(in: g.context(), g.kind()) },
        Verb(weight: 2) { g in g.name().map { .serverEdit($0, g.field(), g.value()) } },
        Verb(weight: 1) { g in
            let relation = g.relation()
            return g.name(relation.member).map {
                .serverLink(relation, $0, g.chance(3) == 0 ? nil : g.name(relation.target))
            }
        },
        Verb(weight: 1) { g in g.name().map { .serverDelete($0) } },
        Verb(weight: 1) { g in .serverLists(g.chance(2) == 0) },
        Verb(weight: 1) { g in .serverLabels(g.chance(g.isMadeByOthers ? 8 : 2) == 0) },
        Verb(weight: 14, isOptional: false) { g in .reply(g.chance(4)) },
        Verb(weight: 24, isOptional: false) { g in .run(1 + g.chance(6), pick: g.pick()) },
        Verb(weight: 3, isOptional: false) { g in .settle(pick: g.pick()) },
        Verb(weight: 4) { g in .look(in: g.context()) },
        Verb(weight: 2) { g in .drop(in: g.context()) },
        Verb(weight: 1) { _ in .restart },
    ]

    private mutating func sendMembership() -> Step? {
        let relation = [Relation.owner, .parent, .labels][chance(3)]
        guard let member = name(relation.member), let target = name(relation.target), member != target else {
            return nil
        }
        return .sendMembership(in: context(), relation, member, target, linked: chance(3) != 0, fate())
    }

    private mutating func relate(_ linked: Bool) -> Step? {
        let relation = relation()
        guard let member = name(relation.member), let target = name(relation.target), member != target else {
            return nil
        }
        let context = context()
        let side = side()
        return linked
            ? .join(in: context, relation, member, target, by: side)
            : .part(in: context, relation, member, target, by: side)
    }
}
