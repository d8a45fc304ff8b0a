import Conventions

extension SchemaCompiler {
    /// Keys or key paths, such as `owner_id` and `label_ids`. A relationship's own key takes precedence. An attribute
    /// may share the key.
    func identityKeys(
        of properties: [PropertyDescription], _ names: AttributeNames?, by mapping: AttributeMapping
    ) -> [String: PropertyIndex] {
        var keys: [String: PropertyIndex] = [:]
        for property in properties {
            let explicit = property.jsonName
            if referencesEmbedded(property) || property.choiceName != nil { continue }
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

    /// Reports a parent's keys with the parent.
    mutating func checkSentKeys(
        of submodel: SubmodelIndex, in family: ModelFamily, _ properties: [Property],
        beside keys: [String: PropertyIndex]
    ) {
        let model = family.classes[submodel.rawValue].name
        let own = submodel.isRoot ? properties.map(\.index) : family.ownProperties(of: submodel)
        let sent = properties.filter { !$0.isNeverSent && !$0.isAtRoot }
        for property in properties {
            guard let key = family.property(property.index, of: submodel).sentKey else { continue }
            let name = "\(model).\(property.name)"
            let isOwn = own.contains(property.index)
            guard let path = property.sentPath, !path.contains("") else {
                if isOwn { problems.append("\(name) declares the sentKey \"\(key)\", which is no key path") }
                continue
            }
            if property.isNeverSent, isOwn {
                problems.append("\(name) declares the sentKey \"\(key)\", but is never sent: remove one of both")
            }
            let other = sent.first { $0.index != property.index && $0.sentPath(beside: keys) == path }
            if let other, isOwn || own.contains(other.index) {
                problems.append(
                    "\(name) and \(model).\(other.name) would both be sent as \"\(key)\": give one of them "
                        + "another key, or \(other.name) the access .readOnly")
            }
        }
    }

    /// The relationship is edited and sent in place of an attribute that shares its key.
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

extension Property {
    /// The declared path, that of the identities, or the one that is read.
    fileprivate func sentPath(beside keys: [String: PropertyIndex]) -> [String] {
        if let sentPath { return sentPath }
        guard isSentByIdentityKey, let key = keys.first(where: { $0.value == index })?.key else { return jsonPath }
        return key.keyPathKeys ?? [key]
    }
}
