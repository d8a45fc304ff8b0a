import Testing

@Suite struct ModuleGraphTests {
    @Test(arguments: ModuleGraph.rules)
    func `A module imports only the modules and packages it may`(_ rule: ModuleRule) throws {
        let files = try SourceFile.all(below: rule.folder)
        try #require(rule.isHeader == files.isEmpty, "there are no sources in \(rule.folder)")
        #expect(rule.violations(in: files) == [])
    }

    @Test func `Every source file belongs to a module of the graph`() {
        let strays = Project.sources.filter { file in
            !ModuleGraph.rules.contains { file.path.hasPrefix("\($0.folder)/") }
        }
        #expect(strays.map(\.path) == [])
    }

    @Test func `The dependencies between modules have no cycle`() throws {
        var waiting = ModuleGraph.rules
        var reached: Set<String> = []
        while let next = waiting.firstIndex(where: { $0.modules.union($0.plugins).isSubset(of: reached) }) {
            reached.insert(waiting.remove(at: next).name)
        }
        #expect(waiting.map(\.name) == [])
    }

    @Test func `No file imports both AsyncHTTPClient and FoundationNetworking`() throws {
        let both = try SourceFile.all(below: "Sources/RESTTransport").filter { file in
            Set(file.imports.map(\.module)).isSuperset(of: ["AsyncHTTPClient", "FoundationNetworking"])
        }
        #expect(both.map(\.path) == [])
    }
}
