enum Project {
    /// The folders with the sources of the products, which exclude the tests.
    static let folders = ["Conventions", "SampleGitHubAPI", "Sources"]

    /// Every source below those folders; empty if reading them fails.
    static let sources: [SourceFile] = (try? folders.flatMap(SourceFile.all(below:))) ?? []
}
