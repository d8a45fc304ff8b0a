/// An option of SwiftData's `@Attribute`. Using it is an error with an explanation.
@_documentation(visibility: internal)
public struct SwiftDataOption: Sendable {
    // Disfavored, so that SwiftData's own members win if both modules are imported.

    /// Explains a mistake.
    @_disfavoredOverload public static var unique: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static var externalStorage: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static var spotlight: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static var ephemeral: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static var preserveValueOnDeletion: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static var allowsCloudEncryption: SwiftDataOption { SwiftDataOption() }
    /// Explains a mistake.
    @_disfavoredOverload public static func transformable(by transformer: Any) -> SwiftDataOption { SwiftDataOption() }
}

/// A rule of SwiftData's `@Relationship(deleteRule:)`. Using it is an error that suggests `onDelete:`.
@_documentation(visibility: internal)
public struct SwiftDataDeleteRule: Sendable {
    /// Explains a mistake.
    @_disfavoredOverload public static var nullify: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains a mistake.
    @_disfavoredOverload public static var cascade: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains a mistake.
    @_disfavoredOverload public static var deny: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains a mistake.
    @_disfavoredOverload public static var noAction: SwiftDataDeleteRule { SwiftDataDeleteRule() }
}
