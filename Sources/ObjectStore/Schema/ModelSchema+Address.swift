import Conventions

extension ModelSchema {
    /// Whether the URL of such a row has what the relationship leads to, so that its body doesn't: `repository` in
    /// `/repos/:repository.full_name/issues`.
    package func hasInURL(_ relationship: Property) -> Bool {
        baseURL.map { has(relationship, in: $0) } ?? false
    }

    /// Whether the URL alone says which object it is: of a singular resource, the only one, or the one of its parent.
    package var isNamedByURL: Bool {
        options.singular
            && identity.allSatisfy { index in
                self[index].name == PropertyDescription.singularIdentityName || hasInURL(self[index])
            }
    }

    /// Whether the URL of one such row can't be made without what the relationship leads to.
    func needsInURL(_ relationship: Property) -> Bool {
        if hasInURL(relationship) { return true }
        // What is wrong with the template is told where routes are made of it.
        guard let object = options.object, let template = try? RouteTemplate(object) else { return false }
        return has(relationship, in: template)
    }

    private func has(_ relationship: Property, in template: RouteTemplate) -> Bool {
        let names = template.placeholders.compactMap(\.keyPath.first)
        return names.contains(relationship.jsonPath[0]) || names.contains(relationship.name)
            || identityKey(of: relationship).map(names.contains) == true
    }

    /// `owner_id`, `label_ids`, `links.owner_id`; nil for an attribute.
    package func identityKey(of relationship: Property) -> String? {
        identityKeys.first { $0.value == relationship.index }?.key
    }
}
