extension AttributeMapping {
    /// What a discriminator may call a model: its name first, then the name in the other letter cases, singular and plural.
    ///
    /// ```swift
    /// AttributeMapping.discriminatorValues(forModelNamed: "PushEvent")
    /// // PushEvent, push_event, push-event, pushEvent, PushEvents, push_events, push-events, pushEvents
    /// ```
    package static func discriminatorValues(forModelNamed model: String) -> [String] {
        let singular = SplitName(swift: model)
        let names = [singular] + plurals(of: model).map { SplitName(swift: $0) }
        var seen: Set<String> = []
        let forms = names.flatMap { name in
            [JSONCase.pascalCase, .snakeCase, .kebabCase, .camelCase].map { name.joined(in: $0) }
        }
        return ([model] + forms).filter { seen.insert($0).inserted }
    }

    /// The plural, where its singular is the name again.
    private static func plurals(of name: String) -> [String] {
        guard let last = SplitName(swift: name).words.last?.text.lowercased() else { return [] }
        let sibilants = ["s", "x", "z", "ch", "sh"]
        let isVowelAndY = ["ay", "ey", "oy", "uy"].contains { last.hasSuffix($0) }
        let (dropped, ending) =
            sibilants.contains { last.hasSuffix($0) }
            ? (0, "es") : last.hasSuffix("y") && !isVowelAndY ? (1, "ies") : (0, "s")
        guard EnglishNouns.singular(of: String(last.dropLast(dropped)) + ending) == last else { return [] }
        return [String(name.dropLast(dropped)) + ending]
    }
}
