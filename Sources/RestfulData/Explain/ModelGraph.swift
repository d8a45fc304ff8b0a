public import ObjectStore

extension Store {
    /// The models and their relationships as a class diagram in Mermaid's language.
    ///
    /// ```swift
    /// print(store.modelGraph)
    /// // classDiagram
    /// //     class Issue {
    /// //         INTEGER identifier
    /// //         TEXT title
    /// //     }
    /// //     Issue "*" -- "0..1" Repository : repository / issues
    /// ```
    ///
    /// A relationship and its inverse are one line, whose ends have the numbers of objects. A filled diamond stands for
    /// an owner, also of embedded objects, and a hollow triangle for inheritance. Source: Mermaid's documentation of
    /// class diagrams.
    public var modelGraph: String { ModelGraph(explanations).text }
}

struct ModelGraph {
    private let models: [Explanation]

    init(_ models: [Explanation]) { self.models = models }

    var text: String {
        (["classDiagram"] + (classes + inheritance + links).map { "    " + $0 }).joined(separator: "\n")
    }

    private var classes: [String] {
        models.flatMap { model in
            let inherited = models.first { $0.model == model.family?.parent }?.attributes.map(\.name) ?? []
            let own = model.attributes.filter { !inherited.contains($0.name) }
            return ["class \(Self.identifier(of: model.model)) {"] + own.map { "    \($0.type) \($0.name)" } + ["}"]
        }
    }

    private var inheritance: [String] {
        models.compactMap { model in
            guard let parent = model.family?.parent else { return nil }
            return "\(Self.identifier(of: parent)) <|-- \(Self.identifier(of: model.model))"
        }
    }

    private var links: [String] {
        var drawn: Set<[String]> = []
        return models.flatMap { model in
            model.relationships.flatMap { relationship -> [String] in
                // Inherited relationships are drawn at the parent.
                if let parent = models.first(where: { $0.model == model.family?.parent }),
                    parent.relationships.contains(where: { $0.name == relationship.name })
                {
                    return []
                }
                guard drawn.insert([model.model, relationship.name]).inserted else { return [] }
                if let inverse = relationship.inverse { drawn.insert([inverse.model, inverse.property]) }
                // One of several models.
                return relationship.target.split(separator: " or ").map { target in
                    line(from: model, by: relationship, to: String(target))
                }
            }
        }
    }

    private func line(
        from model: Explanation, by relationship: Explanation.Relationship, to name: String
    ) -> String {
        let target = models.first { $0.model == name }
        let inverse = relationship.inverse.flatMap { inverse in
            models.first { $0.model == inverse.model }?.relationships.first { $0.name == inverse.property }
        }
        let isOwner = relationship.owns || target?.isEmbedded == true
        let isOwned = inverse?.owns == true || model.isEmbedded && inverse != nil
        let arrow = isOwner ? "*--" : isOwned ? "--*" : inverse == nil ? "-->" : "--"
        let count = inverse.map { $0.isList ? "\"*\" " : "\"0..1\" " } ?? ""
        let names = relationship.name + (inverse.map { " / \($0.name)" } ?? "")
        return "\(Self.identifier(of: model.model)) \(count)\(arrow) \"\(relationship.isList ? "*" : "0..1")\" "
            + "\(Self.identifier(of: name)) : \(names)"
    }

    /// Mermaid takes letters, digits and underscores; anything else in backticks.
    private static func identifier(of model: String) -> String {
        let isPlain = model.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return isPlain ? model : "`\(model)`"
    }
}
