// Relationships without `inverse:` that more than one of the other model could be the other direction of.

extension SchemaCompiler {
    /// Notes them, once for each two models. A relationship to its own model is left alone: it has an inverse only if
    /// one is named.
    mutating func checkInverses() {
        let undecided = undecidedRelationships
        for (pair, there) in undecided.sorted(by: { $0.key < $1.key }) where pair.source < pair.target {
            let back = undecided[ModelPair(source: pair.target, target: pair.source)] ?? []
            let (sources, targets) = (candidates(among: there, for: back), candidates(among: back, for: there))
            guard !sources.isEmpty else { continue }
            // The side with fewer is where one word decides; of two equal ones a list, which says more by its name.
            let isBack = (targets.count, targets.filter(isLink).count) < (sources.count, sources.filter(isLink).count)
            problems.append(isBack ? ambiguity(of: targets, sources) : ambiguity(of: sources, targets))
        }
    }

    /// By the two models: the relationships that say nothing of an inverse, have none, and that no other names as its.
    private var undecidedRelationships: [ModelPair: [Declared]] {
        var found: [ModelPair: [Declared]] = [:]
        for table in descriptions.indices.map({ TableID($0) }) {
            for property in description(of: table).properties where property.inverse == .inferred {
                let declared = Declared(property: property, table: table)
                guard let target = property.target.flatMap(self.table(of:)), target != table,
                    !isNamed(declared, in: target), inferredInverse(of: declared, in: target) == nil
                else { continue }
                found[ModelPair(source: table, target: target), default: []].append(declared)
            }
        }
        return found
    }

    private func isNamed(_ declared: Declared, in target: TableID) -> Bool {
        description(of: target).properties.contains {
            isInverse(Declared(property: $0, table: target), named: declared)
        }
    }

    /// Those that could be the other direction of one of `others`.
    private func candidates(among declared: [Declared], for others: [Declared]) -> [Declared] {
        declared.filter { declared in others.contains { covers(declared, $0) } }
    }

    private func isLink(_ declared: Declared) -> Bool {
        if case .toOne = declared.property.kind { true } else { false }
    }

    /// - Parameter few: the side on which the inverse is best named.
    private func ambiguity(of few: [Declared], _ others: [Declared]) -> String {
        func list(_ relationships: [Declared], _ word: String) -> String {
            let names = relationships.map(name(of:))
            let first = names.dropLast().joined(separator: ", ")
            return first.isEmpty ? names.joined() : "\(first) \(word) \(names[names.count - 1])"
        }
        let direction = few.count == 1 ? "the other direction" : "the other directions"
        let example = "@Relationship(inverse: \"\(others[0].property.name)\") var \(few[0].property.name)"
        return
            "\(list(few, "and")) could be \(direction) of \(list(others, "or")), and nothing says so: name it, as in "
            + "`\(example)`, or write `inverse: nil` where there is none"
    }
}

/// The model that declares a relationship, and the one that it leads to.
private struct ModelPair: Hashable, Comparable {
    let source: TableID
    let target: TableID

    static func < (left: ModelPair, right: ModelPair) -> Bool {
        (left.source, left.target) < (right.source, right.target)
    }
}
