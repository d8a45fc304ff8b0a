import Conventions

/// The default naming rules. The conventions of an API are known only at run time.
enum ConventionNames {
    private static let mapping = AttributeMapping()

    static func jsonName(ofProperty name: String) -> String {
        mapping.jsonName(forSwiftName: name).name
    }

    /// `owner_id` for `owner`. `json` is a declared JSON name.
    static func foreignKey(ofProperty name: String, json: String?) -> String {
        mapping.foreignKeyName(for: name, explicitName: json).name
    }

    /// `fullname` for `full_name` and `fullName`.
    static func looseKey(_ name: String) -> String {
        InboundNames.looseKey(for: name)
    }

    /// Nil if none is similar enough for a typing error.
    static func nearest(to name: String, among names: [String]) -> String? {
        nearestName(to: name, among: names)
    }

    /// Names with an empty key, or used by several properties.
    static func mistakes(in properties: [DeclaredName]) -> AttributeNamesError? {
        do {
            _ = try AttributeNames(of: "", properties, mapping: mapping)
            return nil
        } catch {
            return error
        }
    }
}
