import Conventions

// Later requests use the server's formats and spellings.

extension Importer {
    func learn() throws {
        for plan in plans {
            if plan.shapes.haveChanged { try learnShapes(of: plan) }
            try learnSpellings(of: plan)
        }
    }

    private func learnShapes(of plan: ImportPlan) throws {
        let table = plan.model.table
        let known = writer.shapes.all(of: table)
        let learned = plan.model.properties.compactMap { property -> LearnedShape? in
            let shape = plan.shapes.shape(of: property.index)
            guard shape != known[property.index.rawValue] else { return nil }
            return LearnedShape(table: table, property: property.index, shape: shape)
        }
        try writer.keep(learned)
    }

    /// Adopts loose spellings until the exact key arrives.
    private func learnSpellings(of plan: ImportPlan) throws {
        let table = plan.model.table
        let known = writer.shapes.spellings(of: table)
        guard !known.isEmpty || plan.nodes.contains(where: { !$0.spellings.isEmpty }) else { return }
        var found: [PropertyIndex: String] = [:]
        for spelling in plan.nodes.flatMap(\.spellings)
        where spelling.isIdentity == plan.model[spelling.property].isSentByIdentityKey
            && !plan.hasExactly(spelling.property)
        {
            found[spelling.property] = spelling.key
        }
        for (property, key) in found where known[property] != key {
            try writer.keep(LearnedSpelling(table: table, property: property, key: key))
        }
        for property in known.keys where found[property] == nil && plan.hasExactly(property) {
            try writer.keep(LearnedSpelling(table: table, property: property, key: nil))
        }
    }
}

extension ImportPlan {
    fileprivate func hasExactly(_ property: PropertyIndex) -> Bool {
        nodes.contains { $0.hasFound(model[property]) }
    }
}
