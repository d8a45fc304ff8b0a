extension NamingConventions {
    /// The JSON name that a property has by these conventions, where neither its declaration nor its model says
    /// otherwise.
    ///
    /// ```swift
    /// APIConventions.github.names.json(for: "avatarURL")            // "avatar_url"
    /// ```
    ///
    /// It is what goes out until the server was seen to spell the name otherwise, in word breaks or letter case: from
    /// then on the server's spelling does.
    ///
    /// - Parameter swiftName: the property's name, with or without backticks.
    /// - Complexity: linear in the name and the number of conventions.
    public func json(for swiftName: String) -> String { AttributeMapping(self).jsonName(forSwiftName: swiftName).name }

    /// The name of a property that takes the value of a JSON key: `avatarURL` for `avatar_url`. Where nothing among
    /// ``exceptions(of:)`` applies to the key, ``json(for:)`` of it is the key again.
    public func swift(for jsonName: String) -> String { AttributeMapping(self).swiftName(forJSONName: jsonName).name }

    /// Why a JSON name may come back as another one from ``swift(for:)`` and ``json(for:)``; none for most names.
    ///
    /// ```swift
    /// let names = APIConventions.default.names
    /// names.exceptions(of: "image_24")                              // [.breakBeforeDigit]: image24, which is "image24" in JSON
    /// names.exceptions(of: "mediaType")                             // [.capitals]: mediaType, which is "media_type"
    /// ```
    ///
    /// Such a name is read by the property that ``swift(for:)`` names, if they differ in word breaks and letter case
    /// only, and goes out as it came.
    public func exceptions(of jsonName: String) -> Set<RoundTripException> {
        RoundTripException.classes(of: jsonName, under: self)
    }
}
