import Conventions

/// The default naming rules, which macros use because they don't know the conventions of an API.
enum ConventionNames {
    private static let mapping = AttributeMapping()

    static func jsonName(ofProperty name: String) -> String {
        mapping.jsonName(forSwiftName: name).name
    }

    /// `owner_id` for `owner`. `json` is a declared JSON name.
    static func foreignKey(ofProperty name: String, json: String?) -> String {
        mapping.foreignKeyName(for: name, explicitName: json).name
    }

    /// The name without word breaks and letter case.
    static func looseKey(_ name: String) -> String {
        InboundNames.looseKey(for: name)
    }

    /// The most similar name; `nil` if none is similar.
    static func nearest(to name: String, among names: [String]) -> String? {
        nearestName(to: name, among: names)
    }

    /// Invalid JSON names: with an empty key, or used by several properties.
    static func mistakes(in properties: [DeclaredName]) -> AttributeNamesError? {
        do {
            _ = try AttributeNames(of: "", properties, mapping: mapping)
            return nil
        } catch {
            return error
        }
    }
}
