import Conventions

/// The naming rules as the macro applies them, before any store: those that apply unless an API specifies others.
enum ConventionNames {
    private static let mapping = AttributeMapping()

    static func jsonName(ofProperty name: String) -> String {
        mapping.jsonName(forSwiftName: name).name
    }

    /// `owner_id` of `owner`, whose JSON name may be given.
    static func foreignKey(ofProperty name: String, json: String?) -> String {
        mapping.foreignKeyName(for: name, explicitName: json).name
    }

    /// The name without word breaks and letter case.
    static func looseKey(_ name: String) -> String {
        InboundNames.looseKey(for: name)
    }

    /// What was most likely meant by `name`, if anything is near.
    static func nearest(to name: String, among names: [String]) -> String? {
        nearestName(to: name, among: names)
    }

    /// The JSON names that are impossible: with an empty key, or claimed by several properties.
    static func mistakes(in properties: [DeclaredName]) -> AttributeNamesError? {
        do {
            _ = try AttributeNames(of: "", properties, mapping: mapping)
            return nil
        } catch {
            return error
        }
    }
}
