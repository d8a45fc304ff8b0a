@testable import ObjectStore

extension RandomModels {
    @TaskLocal static var current: RandomModels?

    /// Runs `body` while the two classes below are these models.
    @MainActor
    func with<Result>(_ body: @MainActor () async throws -> Result) async throws -> Result {
        try await Self.$current.withValue(self) { try await body() }
    }

    fileprivate var owner: ModelDescription {
        var tokens = [RandomToken.identifier]
        for attribute in attributes {
            let kind: AttributeKind =
                switch attribute.kind {
                case .integer: .integer(.min ... .max)
                case .text: .text
                case .boolean: .boolean
                case .real: .real
                }
            let initial = attribute.isOptional ? StoredValue.null : attribute.initial
            tokens.append(
                RandomToken(
                    tokens.count, attribute.name,
                    .attribute(
                        kind, default: { initial }, options: AttributeOptions(renamedFrom: attribute.renamedFrom)),
                    isOptional: attribute.isOptional))
        }
        let inverse: Inverse = [.column, .twoSided].contains(relationship.shape) ? "owner" : nil
        let options = RelationshipOptions(inverse: inverse, renamedFrom: relationship.renamedFrom)
        tokens.append(
            RandomToken(
                tokens.count, relationship.name,
                relationship.shape == .link
                    ? .toOne(RandomMember.self, options: options) : .toMany(RandomMember.self, options: options)))
        return ModelDescription(RandomOwner.self, "Owner", ModelOptions(), tokens)
    }

    fileprivate var member: ModelDescription {
        let options = RelationshipOptions(inverse: .named(relationship.name))
        let back: [RandomToken] =
            switch relationship.shape {
            case .link, .joined: []
            case .column: [RandomToken(1, "owner", .toOne(RandomOwner.self, options: options))]
            case .twoSided: [RandomToken(1, "owner", .toMany(RandomOwner.self, options: options))]
            }
        return ModelDescription(RandomMember.self, "Member", ModelOptions(), [.identifier] + back)
    }
}

struct RandomToken: PropertyToken {
    let description: PropertyDescription

    init(_ index: Int, _ name: String, _ kind: PropertyDescription.Kind, isOptional: Bool = false) {
        description = PropertyDescription(index: index, name: name, kind: kind, isOptional: isOptional)
    }

    static var identifier: RandomToken {
        RandomToken(
            0, "identifier", .attribute(.integer(.min ... .max), default: { .null }, options: AttributeOptions()),
            isOptional: true)
    }
}

final class RandomOwner: Model {
    struct Properties: Sendable {}
    static let properties = Properties()
    static var modelDescription: ModelDescription {
        RandomModels.current?.owner
            ?? ModelDescription(RandomOwner.self, "Owner", ModelOptions(), [RandomToken.identifier])
    }
    let _object: ObjectState
    init(_object: ObjectState) { self._object = _object }
}

final class RandomMember: Model {
    struct Properties: Sendable {}
    static let properties = Properties()
    static var modelDescription: ModelDescription {
        RandomModels.current?.member
            ?? ModelDescription(RandomMember.self, "Member", ModelOptions(), [RandomToken.identifier])
    }
    let _object: ObjectState
    init(_object: ObjectState) { self._object = _object }
}
