import Conventions

extension ModelSchema {
    /// Whether the URL of an object includes the relationship's target, so that its body can omit it: `repository` in
    /// `/repos/:repository.full_name/issues`.
    package func hasInURL(_ relationship: Property) -> Bool {
        baseURL.map { has(relationship, in: $0) } ?? false
    }

    /// Whether the URL alone identifies the object: it is a singular resource, or the only one of its parent.
    package var isNamedByURL: Bool {
        options.singular
            && identity.allSatisfy { index in
                self[index].name == PropertyDescription.singularIdentityName || hasInURL(self[index])
            }
    }

    func needsInURL(_ relationship: Property) -> Bool {
        if hasInURL(relationship) { return true }
        // Problems of the template are reported when routes are made.
        guard let object = options.object, let template = try? RouteTemplate(object) else { return false }
        return has(relationship, in: template)
    }

    private func has(_ relationship: Property, in template: RouteTemplate) -> Bool {
        let names = template.placeholders.compactMap(\.keyPath.first)
        return names.contains(relationship.jsonPath[0]) || names.contains(relationship.name)
            || identityKey(of: relationship).map(names.contains) == true
    }

    /// `owner_id`, `label_ids`, `links.owner_id`. Nil for an attribute.
    package func identityKey(of relationship: Property) -> String? {
        identityKeys.first { $0.value == relationship.index }?.key
    }
}
