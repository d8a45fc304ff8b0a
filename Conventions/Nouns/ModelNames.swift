extension AttributeMapping {
    /// The name of a model's SQL table: `user` for `User`, `pull_request` for `PullRequest`, `git_hub_user` for
    /// `GitHubUser`.
    ///
    /// It is in snake_case for every API, independent of conventions, so that a file has the words of the declarations.
    package static func tableName(forModelNamed model: String) -> DerivedName {
        snakeCased(model)
    }

    /// The name of a property's SQL column: `avatar_url` for `avatarURL`, by the same rule as tables.
    package static func columnName(forPropertyNamed property: String) -> DerivedName {
        snakeCased(property)
    }

    /// The JSON name for the identity of a to-one relationship's object: `owner_id` for `owner`.
    ///
    /// - Parameter explicitName: The relationship's explicit JSON name, if it has one.
    package func foreignKeyName(for property: String, explicitName: String? = nil) -> DerivedName {
        let name = appending("id", to: explicitName ?? jsonName(forSwiftName: property).name)
        return DerivedName(name, because: "the identity of \"\(property)\"")
    }

    /// The JSON name for the model of a to-one relationship's object, where it may vary: `subject_type` for `subject`.
    ///
    /// - Parameter explicitName: The relationship's explicit JSON name, if it has one.
    package func typeKeyName(for property: String, explicitName: String? = nil) -> DerivedName {
        let name = appending("type", to: explicitName ?? jsonName(forSwiftName: property).name)
        return DerivedName(name, because: "the model of \"\(property)\"")
    }

    /// The JSON name for the identities of a to-many relationship's objects: `label_ids` for `labels`.
    ///
    /// - Parameter explicitName: The relationship's explicit JSON name, if it has one.
    package func identifierListName(for property: String, explicitName: String? = nil) -> DerivedName {
        let plural = explicitName ?? jsonName(forSwiftName: property).name
        let name = appending("ids", to: Self.singularizingLastWord(of: plural))
        return DerivedName(name, because: "the identities of \"\(property)\"")
    }

    /// The JSON key under which an API wraps an object of a model: `pull_request` for `PullRequest`.
    package func objectName(forModelNamed model: String) -> DerivedName {
        jsonName(forSwiftName: model)
    }

    /// The JSON key under which an API wraps a list of a model's objects: `pull_requests` for `PullRequest`.
    package func listName(forModelNamed model: String) -> DerivedName {
        let name = Self.pluralizingLastWord(of: objectName(forModelNamed: model).name)
        return DerivedName(name, because: "the plural of \"\(model)\"")
    }

    /// `pull_requests` for `pull_request`.
    package static func pluralizingLastWord(of name: String) -> String {
        guard let last = SplitName(json: name).words.last, name.hasSuffix(last.text) else { return name }
        return name.dropLast(last.text.count) + EnglishNouns.plural(of: last.text)
    }

    /// `pull_request` for `pull_requests`.
    package static func singularizingLastWord(of name: String) -> String {
        guard let last = SplitName(json: name).words.last, name.hasSuffix(last.text) else { return name }
        return name.dropLast(last.text.count) + EnglishNouns.singular(of: last.text)
    }

    private static func snakeCased(_ name: String) -> DerivedName {
        let snake = SplitName(swift: name).joined(in: .snakeCase)
        let explanation = snake == name ? "the name as it is" : JSONCase.snakeCase.explanation
        return DerivedName(snake, because: explanation)
    }

    private func appending(_ word: String, to name: String) -> String {
        switch jsonCase {
        case .snakeCase: "\(name)_\(word)"
        case .kebabCase: "\(name)-\(word)"
        case .camelCase, .pascalCase: name + (Word(word).capitalized ?? word)
        }
    }
}

extension AttributeMapping {
    /// The discriminator values that may mean a model: its name, then its singular and plural in each letter case.
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

    /// The plural, if its singular is the name again; otherwise empty.
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
