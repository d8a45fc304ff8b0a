import Conventions

extension ModelSchema {
    /// Bodies can omit a target in the URL: `repository` in `/repos/:repository.full_name/issues`.
    package func hasInURL(_ relationship: Property) -> Bool {
        baseURL.map { has(relationship, in: $0) } ?? false
    }

    /// Whether the URL alone identifies a singular resource.
    package var isNamedByURL: Bool {
        options.singular
            && identity.allSatisfy { index in
                self[index].name == PropertyDescription.singularIdentityName || hasInURL(self[index])
            }
    }

    func needsInURL(_ relationship: Property) -> Bool {
        if hasInURL(relationship) { return true }
        // Route making reports problems of the template.
        guard let object = options.object, let template = try? RouteTemplate(object) else { return false }
        return has(relationship, in: template)
    }

    private func has(_ relationship: Property, in template: RouteTemplate) -> Bool {
        let names = template.placeholders.compactMap(\.keyPath.first)
        return names.contains(relationship.jsonPath[0]) || names.contains(relationship.name)
            || identityKey(of: relationship).map(names.contains) == true
    }

    /// A key like `owner_id`, `label_ids`, `links.owner_id`. Nil for an attribute.
    package func identityKey(of relationship: Property) -> String? {
        identityKeys.first { $0.value == relationship.index }?.key
    }
}
