import Foundation
import RestfulData
import TestSupport

/// The settings of conventions as the article's table has them: each with its Swift text.
enum StyleSettings {
    /// The ready-made styles but ``APIConventions/rails``, which is the default.
    static let styles: [(name: String, conventions: APIConventions)] = [
        ("camelCase", .camelCase), ("cloudflare", .cloudflare), ("djangoREST", .djangoREST), ("fhir", .fhir),
        ("github", .github), ("gitLab", .gitLab), ("google", .google), ("hal", .hal), ("jsonAPI", .jsonAPI),
        ("laravel", .laravel), ("linode", .linode), ("mastodon", .mastodon), ("oData", .oData), ("strapi", .strapi),
        ("stripe", .stripe),
    ]

    /// The rows of the table: the setting, the default, and the styles that have something else.
    static var rows: [String] {
        let defaults = settings(of: .default)
        return defaults.enumerated().map { index, setting in
            var others: [(value: String, names: [String])] = []
            for style in styles {
                let value = settings(of: style.conventions)[index].value
                guard value != setting.value else { continue }
                if let known = others.firstIndex(where: { $0.value == value }) {
                    others[known].names.append(style.name)
                } else {
                    others.append((value, [style.name]))
                }
            }
            let cell = others.map { "`\($0.value)` in \($0.names.joined(separator: ", "))" }.joined(separator: "; ")
            return "| `\(setting.name)` | `\(setting.value)` | \(cell) |"
        }
    }

    /// The names of the settings, without those within them.
    static var names: Set<String> {
        Set(settings(of: .default).compactMap { $0.name.split(separator: ".").first.map(String.init) })
    }

    private static func settings(of conventions: APIConventions) -> [(name: String, value: String)] {
        let (urls, envelopes) = (conventions.urls, conventions.envelopes)
        return [
            ("names", text(conventions.names)),
            (
                "values",
                conventions.values.nothing == .missingKey ? "ValueFormats(nothing: .missingKey)" : "ValueFormats()"
            ),
            ("partParameters", "\(conventions.partParameters.sorted())"), ("urls.endInSlash", "\(urls.endInSlash)"),
            ("urls.escapeSlashes", "\(urls.escapeSlashes)"),
            ("urls.paths", "\(urls.paths.sorted())"), ("urls.keysAreNames", "\(urls.keysAreNames)"),
            ("envelopes.object", text(envelopes.object)), ("envelopes.list", text(envelopes.list)),
            ("envelopes.element", envelopes.element.map(text) ?? "nil"),
            ("envelopes.sent", envelopes.sent.map(text) ?? "nil"),
            ("paging", text(conventions.paging)), ("pageSize", quoted(conventions.pageSize)),
            ("pageSizePreference", conventions.pageSizePreference.map(quoted) ?? "nil"),
            ("lists", ".\(conventions.lists)"), ("absentLists", ".\(conventions.absentLists)"),
            ("document", ".\(conventions.document)"), ("mediaType", quoted(conventions.mediaType)),
            ("bodies", ".\(conventions.bodies)"), ("formLists", ".\(conventions.formLists)"),
            ("relationships", ".\(conventions.relationships)"), ("inverseLists", ".\(conventions.inverseLists)"),
            ("typeKey", conventions.typeKey.map(quoted) ?? "nil"), ("saveMethod", ".\(conventions.saveMethod)"),
            ("creates", ".\(conventions.creates)"),
            ("emptyReplies", conventions.emptyReplies.isEmpty ? "[]" : "\(conventions.emptyReplies.rawValue)"),
            ("tombstones", "\(conventions.tombstones.keys)"),
            ("notFoundDeletions", ".\(conventions.notFoundDeletions)"),
            ("memberships", conventions.memberships == .post() ? ".post()" : ".\(conventions.memberships)"),
            ("removals", ".\(conventions.removals)"), ("limits", text(conventions.limits)),
            ("usesIdempotencyKeys", "\(conventions.usesIdempotencyKeys)"),
            ("unknownCreations", ".\(conventions.unknownCreations)"),
            ("conditionalWrites", ".\(conventions.conditionalWrites)"), ("conflicts", text(conventions.conflicts)),
        ]
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    private static func text(_ names: NamingConventions) -> String {
        let known: [(NamingConventions, String)] = [
            (.default, ".default"), (.github, ".github"), (.djangoREST, ".djangoREST"), (.camelCase, ".camelCase"),
            (.jsonAPI, ".jsonAPI"),
        ]
        return known.first { $0.0 == names }?.1 ?? "\(names)"
    }

    private static func text(_ keys: [APIConventions.Envelopes.Key]) -> String {
        "[" + keys.map { text($0) }.joined(separator: ", ") + "]"
    }

    private static func text(_ key: APIConventions.Envelopes.Key) -> String {
        switch key {
        case .modelName: ".modelName"
        case .modelNameWithin(let path): ".modelNameWithin(\"\(path)\")"
        case .key(let text): quoted(text)
        case .keys(let path): "\(path.keys)"
        }
    }

    private static func text(_ paging: APIConventions.Paging) -> String {
        switch paging {
        case .linkHeader: ".linkHeader"
        case .nextLink(let path):
            ".nextLink(at: \(path.keys.count == 1 && path.keys[0].contains(".") ? "\(path.keys)" : quoted("\(path)")))"
        case .more(at: "has_more", after: "starting_after"): ".more()"
        case .more(let path, let parameter): ".more(at: \"\(path)\", after: \"\(parameter)\")"
        case .cursor(let path, let parameter): ".cursor(at: \"\(path)\", parameter: \"\(parameter)\")"
        case .pageHeader(let field, let parameter): ".pageHeader(\"\(field)\", parameter: \"\(parameter)\")"
        case .pageNumber(parameter: "page", from: 1): ".pageNumber()"
        case .pageNumber(let parameter, from: 1): ".pageNumber(parameter: \"\(parameter)\")"
        case .pageNumber(let parameter, let first): ".pageNumber(parameter: \"\(parameter)\", from: \(first))"
        case .offset(let parameter): ".offset(parameter: \"\(parameter)\")"
        }
    }

    private static func text(_ limits: RequestLimits) -> String {
        limits == .standard ? ".standard" : limits == .github ? ".github" : "\(limits)"
    }

    private static func text(_ conflicts: ConflictPolicy) -> String {
        if case .ask = conflicts { ".ask" } else { "\(conflicts)" }
    }
}
