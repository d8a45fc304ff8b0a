import ObjectStore

extension Explanation {
    /// Two lines for each: what it is and its JSON keys; below, where it is kept and why.
    var relationships: [String] {
        let described = table.declared.filter { $0.link != nil || $0.list != nil }
        return zip(rows(described.map(cells)), described).flatMap {
            [$0, "  " + notes(on: $1).joined(separator: "; ")]
        }
    }

    private func cells(of property: Property) -> [String] {
        let keys = [property.jsonPath.joined(separator: ".")] + (identityKey(of: property).map { [$0] } ?? [])
        let target = (schema.target(of: property) ?? table).modelName
        return [
            property.name, "→ \(property.list == nil ? target : "[\(target)]")",
            "← " + keys.map { "\"\($0)\"" }.joined(separator: " or "),
        ]
    }

    private func notes(on property: Property) -> [String] {
        switch property.kind {
        case .attribute: []
        case .toOne(let link):
            notes(
                on: property, "column " + (property.column.map { table.columns[$0].name } ?? ""),
                inverse(of: property, link.target, link.inverse, link.options), link.options)
        case .toMany(let list):
            notes(
                on: property, storage(of: list), inverse(of: property, list.target, list.inverse, list.options),
                list.options)
        }
    }

    private func notes(
        on property: Property, _ storage: String, _ inverse: String?, _ options: RelationshipOptions
    ) -> [String] {
        var notes = [rule(of: property), storage] + (inverse.map { [$0] } ?? []) + [sending(of: property, options)]
        if options.owns { notes.append("owns its members") }
        switch options.onDelete {
        case .nullify: break
        case .cascade: notes.append("deletes what it leads to with its object")
        case .deny: notes.append("denies the deletion of its object")
        }
        if options.merges { notes.append("replies are merged in") }
        return notes
    }

    private func storage(of list: List) -> String {
        switch list.storage {
        case .column(_, let column, _): "column \(schema.tables[list.target].name).\(column)"
        case .join(let join, _): "table \(join.name)"
        }
    }

    private func inverse(
        of property: Property, _ target: Int, _ inverse: Int?, _ options: RelationshipOptions
    ) -> String? {
        guard let inverse else { return nil }
        let other = schema.tables[target].properties[inverse]
        let others = other.link?.options ?? other.list?.options
        let rule =
            if case .named = options.inverse { "declared" } else if case .named = others?.inverse {
                "declared there"
            } else {
                "the only way back"
            }
        return "inverse \(schema.tables[target].modelName).\(other.name) (\(rule))"
    }

    private func sending(of property: Property, _ options: RelationshipOptions) -> String {
        let json = property.jsonPath.joined(separator: ".")
        let key = identityKey(of: property)
        let inURL = Set(table.baseURL?.placeholders.compactMap(\.keyPath.first) ?? [])
        if property.link != nil, inURL.contains(property.jsonPath[0]) || key.map(inURL.contains) == true {
            return "said by the URL, so not sent"
        }
        if schema.style.document == .jsonAPI, options.sentAs != .never { return "sent as linkage" }
        return switch options.sentAs {
        case .identities, .conventional: "sent as \"\(key ?? json)\""
        case .identitiesByName: "sent as \"\(json)\" by identity"
        case .key(let name): "sent as \"\(json)\" by \(name)"
        case .nested: "sent whole"
        case .never: "not sent"
        }
    }

    /// `owner_id`, `label_ids`.
    private func identityKey(of property: Property) -> String? {
        table.identityKeys.first { $0.value == property.index }?.key
    }
}
