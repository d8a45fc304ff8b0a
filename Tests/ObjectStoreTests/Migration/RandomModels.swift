import ObjectStore
import TestSupport

/// Models that are made up by the test: an owner with attributes and one relationship, and its members.
struct RandomModels: CustomStringConvertible, Sendable {
    enum Kind: CaseIterable { case integer, text, boolean, real }
    /// How the owner is tied to its members.
    enum Shape: CaseIterable { case link, joined, column, twoSided }

    struct Attribute {
        var name: String
        var kind: Kind
        var isOptional: Bool
        var renamedFrom: String?

        var initial: StoredValue {
            switch kind {
            case .integer: .integer(7)
            case .text: .text("none")
            case .boolean: .integer(1)
            case .real: .real(0.5)
            }
        }
    }

    struct Relationship {
        var name = "members"
        var shape: Shape
        var renamedFrom: String?
    }

    var attributes: [Attribute]
    var relationship: Relationship

    var description: String {
        attributes.map { attribute in
            "\(attribute.name): \(attribute.kind)\(attribute.isOptional ? "?" : "") \(attribute.renamedFrom ?? "")"
        }.joined(separator: ", ") + ", \(relationship.name): \(relationship.shape) \(relationship.renamedFrom ?? "")"
    }

    init(_ random: inout SeededGenerator) {
        attributes = (0..<Int.random(in: 1...5, using: &random)).map { number in
            Attribute(
                name: "a\(number)", kind: Kind.allCases.randomElement(using: &random) ?? .text,
                isOptional: .random(using: &random))
        }
        relationship = Relationship(shape: Shape.allCases.randomElement(using: &random) ?? .joined)
    }

    /// Other models, by a few changes.
    func changed(_ random: inout SeededGenerator) -> RandomModels {
        var new = self
        for index in new.attributes.indices { new.attributes[index].renamedFrom = nil }
        new.relationship.renamedFrom = nil
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = new.attributes.indices.randomElement(using: &random) ?? 0
            let name = "b\(Int.random(in: 0..<1_000_000, using: &random))"
            let kind = Kind.allCases.randomElement(using: &random) ?? .text
            switch Int.random(in: 0..<7, using: &random) {
            case 0: new.attributes.append(Attribute(name: name, kind: kind, isOptional: .random(using: &random)))
            case 1 where new.attributes.count > 1: new.attributes.remove(at: place)
            case 2
            where new.attributes[place].renamedFrom == nil
                && attributes.contains { $0.name == new.attributes[place].name }:
                new.attributes[place].renamedFrom = new.attributes[place].name
                new.attributes[place].name = name
            case 3: new.attributes[place].kind = kind
            case 4: new.attributes[place].isOptional.toggle()
            case 5 where new.relationship.renamedFrom == nil:
                new.relationship.renamedFrom = relationship.name
                new.relationship.name = name
            default: new.relationship.shape = Shape.allCases.randomElement(using: &random) ?? .joined
            }
        }
        return new
    }
}

/// A store's values, by identity and Swift name.
struct RandomRows: Equatable, Sendable {
    var owners: [Int64: [String: StoredValue]] = [:]
    /// In the lists' order.
    var members: [Int64: [Int64]] = [:]
}

// MARK: Rows and the oracle

extension RandomModels {
    func randomRows(_ random: inout SeededGenerator) -> RandomRows {
        var rows = RandomRows()
        // Each member has one owner, so that most shapes can follow.
        var members = [1, 2, 3, 4, 5].shuffled(using: &random).map(Int64.init)
        for id in 1...Int64.random(in: 1...4, using: &random) {
            var values: [String: StoredValue] = [:]
            for attribute in attributes { values[attribute.name] = Self.value(of: attribute, &random) }
            rows.owners[id] = values
            let count = relationship.shape == .link ? 1 : Int.random(in: 0...2, using: &random)
            let own = members.prefix(count)
            members.removeFirst(min(count, members.count))
            if !own.isEmpty { rows.members[id] = Array(own) }
        }
        return rows
    }

    private static func value(of attribute: Attribute, _ random: inout SeededGenerator) -> StoredValue {
        if attribute.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
        switch attribute.kind {
        case .integer: return .integer(.random(in: -1...2, using: &random))
        case .text: return .text(["1", "0", "true", "2.5", "-3", "word", ""].randomElement(using: &random) ?? "")
        case .boolean: return .integer(.random(in: 0...1, using: &random))
        case .real: return .real([0, 1, 2.5, -3].randomElement(using: &random) ?? 0)
        }
    }

    /// The rows by these models; `nil` where something would be lost.
    func rows(from old: RandomRows, of models: RandomModels) -> RandomRows? {
        var rows = RandomRows()
        for (id, values) in old.owners {
            var new: [String: StoredValue] = [:]
            for attribute in attributes {
                guard
                    let source = models.attributes.first(where: { $0.name == attribute.renamedFrom ?? attribute.name })
                else {
                    new[attribute.name] = attribute.isOptional ? .null : attribute.initial
                    continue
                }
                guard let value = Self.convert(values[source.name] ?? .null, from: source.kind, to: attribute.kind)
                else {
                    return nil
                }
                new[attribute.name] = value.isNull && !attribute.isOptional ? attribute.initial : value
            }
            rows.owners[id] = new
        }
        rows.members = old.members
        if relationship.shape == .link, rows.members.contains(where: { $0.value.count > 1 }) { return nil }
        return rows
    }

    private static func convert(_ value: StoredValue, from: Kind, to: Kind) -> StoredValue? {
        if from == to || value.isNull { return value }
        let text: String =
            switch value {
            case .integer(let number): from == .boolean && to == .text ? (number == 1 ? "true" : "false") : "\(number)"
            case .real(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
            case .text(let text): text
            default: ""
            }
        switch to {
        case .text: return .text(text)
        case .integer: return Int64(text).map(StoredValue.integer)
        case .real: return Double(text).map(StoredValue.real)
        case .boolean: return ["true": 1, "1": 1, "false": 0, "0": 0][text].map(StoredValue.integer)
        }
    }
}
