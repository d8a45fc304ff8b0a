extension SchemaCompiler {
    /// Reports each pair of models once. Within one model, inverses are declared only.
    mutating func checkInverses() {
        let undecided = undecidedRelationships
        for (pair, there) in undecided.sorted(by: { $0.key < $1.key }) where pair.source < pair.target {
            let back = undecided[ModelPair(source: pair.target, target: pair.source)] ?? []
            let (sources, targets) = (candidates(among: there, for: back), candidates(among: back, for: there))
            guard !sources.isEmpty else { continue }
            // Names the side with fewer candidates, or else with more lists, which have clearer names.
            let isBack = (targets.count, targets.filter(isLink).count) < (sources.count, sources.filter(isLink).count)
            problems.append(isBack ? ambiguity(of: targets, sources) : ambiguity(of: sources, targets))
        }
    }

    /// Relationships without an inverse, by models.
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

    private func candidates(among declared: [Declared], for others: [Declared]) -> [Declared] {
        declared.filter { declared in others.contains { covers(declared, $0) } }
    }

    private func isLink(_ declared: Declared) -> Bool {
        if case .toOne = declared.property.kind { true } else { false }
    }

    /// - Parameter few: the suggested side.
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

private struct ModelPair: Hashable, Comparable {
    let source: TableID
    let target: TableID

    static func < (left: ModelPair, right: ModelPair) -> Bool {
        (left.source, left.target) < (right.source, right.target)
    }
}
