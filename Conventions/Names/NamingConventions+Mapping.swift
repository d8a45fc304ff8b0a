extension NamingConventions {
    /// The JSON name of a property by these conventions, unless its declaration or model specifies another one.
    ///
    /// ```swift
    /// APIConventions.github.names.json(for: "avatarURL")            // "avatar_url"
    /// ```
    ///
    /// Requests use this name until the server has sent the name with other word breaks or letter case. From then on,
    /// requests use the server's spelling.
    ///
    /// - Parameter swiftName: The property's name, with or without backticks.
    /// - Complexity: Linear in the name's length and the number of conventions.
    public func json(for swiftName: String) -> String { AttributeMapping(self).jsonName(forSwiftName: swiftName).name }

    /// The name of the property that receives the value of a JSON key: `avatarURL` for `avatar_url`.
    ///
    /// Unless the key has one of the ``exceptions(of:)``, ``json(for:)`` converts the name back to the key.
    public func swift(for jsonName: String) -> String { AttributeMapping(self).swiftName(forJSONName: jsonName).name }

    /// The reasons why ``swift(for:)`` and ``json(for:)`` may convert a JSON name to another one; empty for most names.
    ///
    /// ```swift
    /// let names = APIConventions.default.names
    /// names.exceptions(of: "image_24")                              // [.breakBeforeDigit]: image24, which is "image24" in JSON
    /// names.exceptions(of: "mediaType")                             // [.capitals]: mediaType, which is "media_type"
    /// ```
    ///
    /// The property named by ``swift(for:)`` reads such a name if the two differ only in word breaks and letter case.
    /// Once the server has sent the name, requests use it unchanged.
    public func exceptions(of jsonName: String) -> Set<RoundTripException> {
        RoundTripException.classes(of: jsonName, under: self)
    }
}
