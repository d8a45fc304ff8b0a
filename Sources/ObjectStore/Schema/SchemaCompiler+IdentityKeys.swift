import Conventions

// `owner_id` and `label_ids`: the keys at which relationships come and go out by identity.

extension SchemaCompiler {
    /// The JSON keys, or key paths with dots, that hold identities of what a relationship leads to, where no
    /// relationship has that name itself. An attribute may: then the key is both's.
    ///
    /// - Parameter mapping: how the model's properties are named.
    func identityKeys(
        of properties: [PropertyDescription], _ names: AttributeNames?, by mapping: AttributeMapping
    ) -> [String: PropertyIndex] {
        var keys: [String: PropertyIndex] = [:]
        for property in properties {
            let explicit = property.jsonName
            if referencesEmbedded(property) { continue }
            if let key = property.sentIdentityKey {
                keys[key] = PropertyIndex(property.index)
                continue
            }
            switch property.kind {
            case .attribute: continue
            case .toOne:
                keys[mapping.foreignKeyName(for: property.name, explicitName: explicit).name] =
                    PropertyIndex(property.index)
            case .toMany:
                keys[mapping.identifierListName(for: property.name, explicitName: explicit).name] =
                    PropertyIndex(property.index)
            }
        }
        var own: [String: PropertyIndex] = [:]
        for (key, relationship) in keys {
            let path = key.keyPathKeys ?? [key]
            guard let match = names?.inbound.match(key) ?? names?.inbound.match(path: path) else {
                own[key] = relationship
                continue
            }
            guard let property = properties.first(where: { $0.index == match.property }),
                case .attribute = property.kind,
                let name = names?[match.property]
            else { continue }
            own[name.path.joined(separator: ".")] = relationship
        }
        return own
    }

    /// Notes keys of their own under which properties can't be sent.
    mutating func checkSentKeys(of description: ModelDescription, _ properties: [Property]) {
        let sent = properties.filter { !$0.isNeverSent }
        for property in properties {
            guard let key = description.properties[property.index.rawValue].sentKey else { continue }
            let name = "\(description.name).\(property.name)"
            guard let path = property.sentPath, !path.contains("") else {
                problems.append("\(name) declares the sentKey \"\(key)\", which is no key path")
                continue
            }
            if property.isNeverSent {
                problems.append("\(name) declares the sentKey \"\(key)\", but is never sent: remove one of both")
            }
            let other = sent.first { $0.index != property.index && ($0.sentPath ?? $0.jsonPath) == path }
            if let other {
                problems.append(
                    "\(name) and \(description.name).\(other.name) would both be sent as \"\(key)\": give one of them "
                        + "another key, or \(other.name) the access .readOnly")
            }
        }
    }

    /// An attribute at the key under which a relationship goes out is what the server says of that: the relationship is
    /// what is edited and sent.
    func leavingKeys(
        _ keys: [String: PropertyIndex], toRelationshipsAmong properties: [Property], except identity: [PropertyIndex]
    ) -> [Property] {
        properties.map { property in
            guard case .attribute(let kind, let value, var options) = property.kind, options.access != .writeOnly,
                !identity.contains(property.index),
                let relationship = keys[property.jsonPath.joined(separator: ".")],
                properties.first(where: { $0.index == relationship })?.isSentByIdentityKey == true
            else { return property }
            var property = property
            options.access = .readOnly
            options.alwaysSent = false
            property.kind = .attribute(kind, default: value, options: options)
            return property
        }
    }
}
