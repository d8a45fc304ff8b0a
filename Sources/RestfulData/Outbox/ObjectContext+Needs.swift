import Conventions
import ObjectStore

extension ObjectContext {
    /// The objects that must be created first, since the URL or body has their identities.
    func needs(of object: any Model, isCreation: Bool) -> [Need] {
        let state = object._object
        let unsent = Set(state.unsentProperties.map(\.index))
        return state.model.declared.compactMap { property in
            let inURL = state.model.hasInURL(property)
            guard inURL || isCreation || unsent.contains(property.index), namesTargets(property) || inURL else {
                return nil
            }
            let links = state.model.facts(of: property).compactMap { state.linkedRow($0) }
            let targets = links + listedTargets(property, of: state)
            let missing = targets.lazy.compactMap { $0 as? ObjectState }.first { self.isMissing($0) }
            return missing.map {
                Need(record: $0.record, link: property.index, canWait: !inURL && property.list == nil)
            }
        }
    }

    private func listedTargets(_ property: Property, of state: ObjectState) -> [any OutboundRow] {
        guard let list = property.list else { return [] }
        // With a link back that is sent, members are created later.
        let back = list.inverse.map { schema[list.target][$0] }
        if let back, back.link != nil, !back.isNeverSent { return [] }
        return state.listedRows(property)
    }

    /// Whether an object lacks an identity, or may soon get another one.
    private func isMissing(_ object: ObjectState) -> Bool {
        guard !object.model.isEmbedded, !object.isAtServer else { return false }
        return !object.hasIdentity || self.object(for: object.record).flatMap { isQueued($0) } == true
    }

    private func isQueued(_ object: any Model) -> Bool { queuedWrite(of: object) != nil }

    private func namesTargets(_ property: Property) -> Bool {
        switch (property.link?.options ?? property.list?.options ?? property.choice?.options)?.sentAs {
        case .identities, .identitiesByName, .conventional: true
        case .nested: property.choice != nil
        default: false
        }
    }

    func leads(_ object: any Model, to record: RecordID) -> Bool {
        var (waiting, seen) = ([object], Set<RecordID>())
        while let next = waiting.popLast() {
            guard seen.insert(next._object.record).inserted else { continue }
            for need in needs(of: next, isCreation: true) {
                if need.record == record { return true }
                if let object = self.object(for: need.record) { waiting.append(object) }
            }
        }
        return false
    }
}

extension OutboxScope {
    /// - Parameter sent: an earlier request of the creation, or a person's decision to repeat it.
    mutating func prepareCreation(of row: any OutboundRow, by client: APIClient, sentBefore sent: SentBody?) {
        let conventions = client.api.conventions
        repeated = sent
        natural = sent?.natural ?? row.naturalKey(by: client)
        key = sent?.key ?? (conventions.usesIdempotencyKeys ? IdempotencyKey.make() : nil)
        // A PUT of the same object is idempotent.
        mayRepeat =
            sent?.mayBeRepeated == true || conventions.unknownCreations == .repeat && natural == nil
            || client.createMethod(of: row.model) != .post
    }
}

/// Keys of 128 random bits.
enum IdempotencyKey {
    static func make() -> String {
        let (high, low) = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
        return String(high, radix: 16) + "-" + String(low, radix: 16)
    }
}
