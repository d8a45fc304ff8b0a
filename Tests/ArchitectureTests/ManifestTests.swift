import Testing

/// The manifest equals the picture.
@Suite struct ManifestTests {
    @Test func `A target's dependencies in the manifest are those its module may import`() async throws {
        let targets = try await Manifest.read().targets.filter { $0.type != "test" }
        #expect(Set(targets.map(\.name)) == Set(ModuleGraph.rules.map(\.name)))
        for rule in ModuleGraph.rules {
            let target = try #require(targets.first { $0.name == rule.name })
            #expect(target.targets == rule.modules.union(rule.plugins), "\(rule.name)")
            #expect(target.packages.isSubset(of: rule.packages), "\(rule.name)")
            #expect(target.packageAccess != (rule.isOutside || rule.isHeader), "\(rule.name)")
        }
    }
}
