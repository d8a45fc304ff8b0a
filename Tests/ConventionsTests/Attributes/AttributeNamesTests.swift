import Conventions
import Testing

@Suite struct AttributeNamesTests {
    private func names(_ declared: DeclaredName..., conventions: NamingConventions = .github) throws -> AttributeNames {
        try AttributeNames(of: "Issue", declared, mapping: AttributeMapping(conventions))
    }

    private func isMatch(_ match: InboundNames.Match?, property: Int, isExact: Bool) -> Bool {
        match?.property == property && match?.isExact == isExact
    }

    @Test func `Every property has its JSON path and the rule that made it`() throws {
        let names = try names(
            DeclaredName("identifier"), DeclaredName("createdAt"), DeclaredName("summary", keyPath: "description"),
            DeclaredName("headSHA", keyPath: "head.sha"), DeclaredName("host", keyPath: #"registry\.example\.com"#))
        #expect(
            names.names.map(\.path) == [
                ["id"], ["created_at"], ["description"], ["head", "sha"], ["registry.example.com"],
            ])
        #expect(names.names.map(\.isExplicit) == [false, false, true, true, true])
        #expect(names.explanation(for: 0) == "\"id\": \"id\" ↔ \"identifier\" (default convention)")
        #expect(names.explanation(for: 3) == "\"head.sha\": explicit in the declaration")
        #expect(names[2].swiftName == "summary")
    }

    @Test func `An explicit name beats every convention`() throws {
        let names = try names(DeclaredName("identifier", keyPath: "identifier"), DeclaredName("id", keyPath: "id"))
        #expect(names.inbound.match("identifier")?.property == 0)
        #expect(names.inbound.match("id")?.property == 1)
    }

    @Test func `A key is matched by its name, a nested one only by its path`() throws {
        let names = try names(
            DeclaredName("title"), DeclaredName("headSHA", keyPath: "head.sha"),
            DeclaredName("dotted", keyPath: #"a\.b"#))
        #expect(isMatch(names.inbound.match("title"), property: 0, isExact: true))
        #expect(isMatch(names.inbound.match(path: ["head", "sha"]), property: 1, isExact: true))
        #expect(names.inbound.match(path: ["title"])?.property == 0)
        #expect(names.inbound.match("a.b")?.property == 2)
        #expect(names.inbound.match("head") == nil)
        #expect(names.inbound.match("head.sha") == nil)
        #expect(names.inbound.match(path: ["a", "b"]) == nil)
        #expect(names.inbound.match(path: []) == nil)
        #expect(names.inbound.exact.map(\.property) == [0, 1, 2])
    }

    @Test(arguments: [
        "address_line_1", "addressLine1", "AddressLine1", "address-line-1", "ADDRESS_LINE1", "address line 1",
    ])
    func `A key that differs in word breaks or letter case is matched, with an explanation`(_ key: String) throws {
        let names = try names(DeclaredName("addressLine1"), DeclaredName("city"))
        #expect(isMatch(names.inbound.match(key), property: 0, isExact: false))
        let explanation = try #require(names.explanation(forIncomingKey: key))
        #expect(explanation.contains("@Attribute(\"\(key)\")"))
        #expect(explanation.contains("differs from \"address_line1\" only in word breaks or letter case"))
    }

    @Test(arguments: ["_address_line1", "address_line1_", "address.line1", "address_line2", "@address_line1", ""])
    func `A key that differs in more than word breaks and letter case is not matched`(_ key: String) throws {
        let names = try names(DeclaredName("addressLine1"))
        #expect(names.inbound.match(key) == nil)
        #expect(names.explanation(forIncomingKey: key) == nil)
    }

    @Test func `A key that could belong to two properties is matched to neither`() throws {
        let names = try names(DeclaredName("addressLine1"), DeclaredName("other", keyPath: "address_line_1"))
        #expect(names.inbound.match("address_line1")?.property == 0)
        #expect(names.inbound.match("address_line_1")?.property == 1)
        #expect(names.inbound.match("addressLine1") == nil)
    }

    @Test func `An explicit name is matched only literally`() throws {
        let names = try names(DeclaredName("summary", keyPath: "short_text"))
        #expect(names.inbound.match("shortText") == nil)
    }

    @Test func `All name collisions of a model are reported together`() throws {
        let error = #expect(throws: AttributeNamesError.self) {
            try names(
                DeclaredName("identifier"), DeclaredName("title"), DeclaredName("id"), DeclaredName("avatarURL"),
                DeclaredName("picture", keyPath: "avatar_url"), DeclaredName("broken", keyPath: "a..b"),
                DeclaredName("empty", keyPath: ""))
        }
        #expect(error?.collisions.map(\.keyPath) == ["id", "avatar_url"])
        #expect(error?.malformed.map(\.swiftName) == ["broken", "empty"])
        #expect(
            error?.description == #"""
                Issue.broken: the JSON name "a..b" has an empty key; write keys with dots between them, as in "owner.login", and a dot within a key as "\."
                Issue.empty: the JSON name "" has an empty key; write keys with dots between them, as in "owner.login", and a dot within a key as "\."
                Issue: the JSON name "id" is claimed by identifier ("id" ↔ "identifier" (default convention)) and id (the name as it is); give all but one of them another name with @Attribute("…")
                Issue: the JSON name "avatar_url" is claimed by avatarURL ("url" ↔ "URL" (default convention), words joined with "_") and picture (explicit in the declaration); give all but one of them another name with @Attribute("…")
                """#)
    }

    @Test func `A model without properties has no names`() throws {
        #expect(try names().names.isEmpty)
    }
}
