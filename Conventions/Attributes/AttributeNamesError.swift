/// What is wrong with the names of a model's properties: everything at once, so that it can be put right at once.
package struct AttributeNamesError: Error, Hashable, Sendable {
    /// One JSON name that several properties claim.
    package struct Collision: Hashable, Sendable {
        /// The JSON name, as a key path.
        package let keyPath: String

        /// The properties, in the order of their declarations, each with the rule that made its name.
        package let properties: [AttributeNames.Name]
    }

    /// The model's name.
    package let model: String

    /// The properties with an explicit key path in which a key is empty or a backslash has nothing after it.
    package let malformed: [DeclaredName]

    /// The names that are claimed more than once.
    package let collisions: [Collision]
}

extension AttributeNamesError: CustomStringConvertible {
    /// A line for every mistake, with what to do about it.
    package var description: String {
        let malformedLines = malformed.map { declared in
            """
            \(model).\(declared.swiftName): the JSON name "\(declared.keyPath ?? "")" has an empty key; write keys with \
            dots between them, as in "owner.login", and a dot within a key as "\\."
            """
        }
        let collisionLines = collisions.map { collision in
            let claims = collision.properties.map { "\($0.swiftName) (\($0.explanation))" }
            return """
                \(model): the JSON name "\(collision.keyPath)" is claimed by \(claims.joined(separator: " and ")); give \
                all but one of them another name with @Attribute("…")
                """
        }
        return (malformedLines + collisionLines).joined(separator: "\n")
    }
}
