/// Explains a misuse: an option that SwiftData's `@Attribute` takes, and this one doesn't.
@_documentation(visibility: internal)
public struct SwiftDataOption: Sendable {
    // Where both modules are imported, SwiftData's members are preferred, as these are disfavored.

    /// Explains the misuse.
    @_disfavoredOverload public static var unique: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static var externalStorage: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static var spotlight: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static var ephemeral: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static var preserveValueOnDeletion: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static var allowsCloudEncryption: SwiftDataOption { SwiftDataOption() }
    /// Explains the misuse.
    @_disfavoredOverload public static func transformable(by transformer: Any) -> SwiftDataOption { SwiftDataOption() }
}

/// Explains a misuse: a rule that SwiftData's `@Relationship(deleteRule:)` takes; here it is `onDelete:`.
@_documentation(visibility: internal)
public struct SwiftDataDeleteRule: Sendable {
    /// Explains the misuse.
    @_disfavoredOverload public static var nullify: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains the misuse.
    @_disfavoredOverload public static var cascade: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains the misuse.
    @_disfavoredOverload public static var deny: SwiftDataDeleteRule { SwiftDataDeleteRule() }
    /// Explains the misuse.
    @_disfavoredOverload public static var noAction: SwiftDataDeleteRule { SwiftDataDeleteRule() }
}
