import Conventions
import Testing

@Suite struct NamingConventionsTests {
    struct Row: Sendable {
        let conventions: NamingConventions
        let swift: String
        let json: String

        init(_ conventions: NamingConventions, _ swift: String, _ json: String) {
            self.conventions = conventions
            self.swift = swift
            self.json = json
        }
    }

    @Test(arguments: [
        Row(.rails, "userIdentifier", "user_id"),
        Row(.github, "plusOne", "+1"),
        Row(.github, "minusOne", "-1"),
        Row(.github, "htmlURL", "html_url"),
        Row(.djangoREST, "imageURLs", "image_urls"),
        Row(.jsonAPI, "userIdentifier", "userId"),
        Row(.jsonAPI, "identifier", "id"),
        Row(.camelCase, "avatarURL", "avatarUrl"),
        Row(.camelCase, "userIdentifiers", "userIds"),
        Row(.camelCase, "addressLine1", "addressLine1"),
        Row(.default.writing(.kebabCase), "createdAt", "created-at"),
        Row(.default.writing(.pascalCase), "userIdentifier", "UserId"),
        Row(.default.registering(json: "URL", swift: "URL").writing(.camelCase), "avatarURL", "avatarURL"),
        Row(.default.registering(json: "pr", swift: "pullRequest"), "pullRequestTitle", "pr_title"),
        Row(.default.registering(json: "pull_request", swift: "PR"), "latestPR", "latest_pull_request"),
        Row(.default.registering(json: "id", swift: "ID"), "userID", "user_id"),
        Row(.default, "_links", "_links"),
        Row(.default, "in_", "in_"),
        Row(.default, "_1Clicks", "1_clicks"),
        Row(.default, "identifier_1", "id_1"),
        Row(.default, "aB_c", "a_b_c"),
    ])
    func `Each ready set of conventions maps names both ways`(_ row: Row) {
        let mapping = AttributeMapping(row.conventions)
        #expect(mapping.jsonName(forSwiftName: row.swift).name == row.json)
        #expect(mapping.swiftName(forJSONName: row.json).name == row.swift)
    }

    @Test(arguments: [
        Row(.default, "URL", "url"),
        Row(.default, "Url", "url"),
        Row(.default, "`class`", "class"),
        Row(.default.registering(json: "id", swift: "ID"), "avatarURLID", "avatar_url_id"),
        Row(.default.registering(json: "id", swift: "ID"), "userIdentifier", "user_id"),
        Row(.default, "avatarUrl", "avatar_url"),
        Row(.default, "userId", "user_id"),
        Row(.default, "snake_case", "snake_case"),
        Row(.default, "isUSState", "is_us_state"),
        Row(.default, "userIDs", "user_ids"),
        Row(.default, "", ""),
        Row(.default, "_", "_"),
    ])
    func `Other spellings of a Swift name map to the JSON name`(_ row: Row) {
        #expect(AttributeMapping(row.conventions).jsonName(forSwiftName: row.swift).name == row.json)
    }

    @Test func `The longest of all matching conventions is taken`() {
        let mapping = AttributeMapping(
            .default.registering(json: "node_id", swift: "handle").registering(json: "id", swift: "key"))
        #expect(mapping.swiftName(forJSONName: "node_id_id").name == "handleKey")
        #expect(mapping.jsonName(forSwiftName: "handleKey").name == "node_id_id")
    }

    @Test func `The longest convention is taken even if a shorter one matches earlier`() {
        let mapping = AttributeMapping(
            NamingConventions().registering(json: "a_b", swift: "short").registering(json: "b_c_d", swift: "long"))
        #expect(mapping.swiftName(forJSONName: "a_b_c_d").name == "aLong")
    }

    @Test func `A model's own conventions beat inherited ones, and those beat the API's`() {
        let api = AttributeMapping(.default.registering(json: "id", swift: "apiID"))
        let base = api.registering([NamingConvention(json: "id", swift: "baseID")], ofModelNamed: "Base")
        let own = base.registering([NamingConvention(json: "id", swift: "ownID")], ofModelNamed: "Own")
        #expect(AttributeMapping(.default).swiftName(forJSONName: "id").name == "identifier")
        #expect(api.swiftName(forJSONName: "id").name == "apiID")
        #expect(base.swiftName(forJSONName: "id").name == "baseID")
        #expect(own.swiftName(forJSONName: "id").name == "ownID")
        #expect(own.jsonName(forSwiftName: "ownID").explanation == "\"id\" ↔ \"ownID\" (convention of Own)")
        // The others are still understood on the way out.
        #expect(["identifier", "apiID", "baseID"].allSatisfy { own.jsonName(forSwiftName: $0).name == "id" })
    }

    @Test func `The convention registered last is taken`() {
        let conventions = NamingConventions([
            NamingConvention(json: "id", swift: "first"), NamingConvention(json: "id", swift: "second"),
        ])
        #expect(AttributeMapping(conventions).swiftName(forJSONName: "id").name == "second")
        let more = conventions.registering(
            NamingConvention(json: "id", swift: "third"), NamingConvention(json: "id", swift: "fourth"))
        #expect(AttributeMapping(more).swiftName(forJSONName: "id").name == "fourth")
        #expect(more.conventions.count == 4)
    }

    @Test func `A convention without words matches nothing`() {
        let conventions = NamingConventions.default.registering(json: "", swift: "x").registering(json: "y", swift: "_")
        let mapping = AttributeMapping(conventions)
        #expect(mapping.jsonName(forSwiftName: "x").name == "x")
        #expect(mapping.swiftName(forJSONName: "y").name == "y")
    }

    @Test(arguments: [
        ("identifier", "\"id\" ↔ \"identifier\" (default convention)"),
        ("title", "the name as it is"),
        ("createdAt", "words joined with \"_\""),
        ("avatarURL", "\"url\" ↔ \"URL\" (default convention), words joined with \"_\""),
        ("plusOne", "\"+1\" ↔ \"plusOne\" (GitHub convention)"),
        ("repositoryName", "\"repo\" ↔ \"repository\" (registered convention), words joined with \"_\""),
        (
            "identifierOfURLIdentifier",
            "\"id\" ↔ \"identifier\" (default convention), \"url\" ↔ \"URL\" (default convention), words joined with \"_\""
        ),
    ])
    func `A mapped name explains which rules made it`(_ swift: String, _ explanation: String) {
        let mapping = AttributeMapping(.github.registering(json: "repo", swift: "repository"))
        #expect(mapping.jsonName(forSwiftName: swift).explanation == explanation)
    }

    @Test(arguments: [
        ("+1", "plus1"), ("-1", "minus1"), ("@timestamp", "timestamp"), ("$ref", "ref"), ("SPDXID", "spdxid"),
        ("mediaType", "mediaType"), ("image_72", "image72"), ("name ", "name"), ("", "unnamed"), ("_", "_unnamed"),
        ("class", "class"), ("a__b", "aB"), ("pg_stat_statements.track", "pgStatStatementsTrack"),
    ])
    func `Any JSON name has a Swift name`(_ json: String, _ swift: String) {
        #expect(AttributeMapping(.default).swiftName(forJSONName: json).name == swift)
    }

    @Test(
        arguments: [
            ("address_line_1", [.breakBeforeDigit]), ("mediaType", [.capitals]), ("a__b", [.doubledSeparator]),
            ("@timestamp", [.punctuation]), ("name ", [.punctuation]), ("identifier", [.conventionWord]),
            ("__", [.noWords]), ("", [.noWords]), ("created_at", []), ("_links", []), ("in_", []), ("avatar_url", []),
        ] as [(String, Set<RoundTripException>)])
    func `A round-trip exception is recognized by the name alone`(_ json: String, _ classes: Set<RoundTripException>) {
        #expect(RoundTripException.classes(of: json, under: .rails) == classes)
    }
}

/// The mapping as users see it.
@Suite struct PublicMappingTests {
    @Test func `The public conventions map names both ways`() {
        let names = NamingConventions.default
        #expect(names.json(for: "avatarURL") == "avatar_url" && names.swift(for: "avatar_url") == "avatarURL")
        #expect(names.writing(.camelCase).json(for: "userIdentifier") == "userId")
    }

    @Test(arguments: [
        ("image_24", [RoundTripException.breakBeforeDigit]), ("mediaType", [.capitals]), ("created_at", []),
        ("@timestamp", [.punctuation]),
    ])
    func `Each exception's class is reported, and other names come back unchanged`(
        _ json: String, _ classes: [RoundTripException]
    ) {
        let names = NamingConventions.default
        #expect(names.exceptions(of: json) == Set(classes))
        #expect((names.json(for: names.swift(for: json)) == json) == classes.isEmpty)
    }
}
