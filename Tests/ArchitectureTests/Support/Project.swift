enum Project {
    /// The folders with the sources of the products; tests are not among them.
    static let folders = ["Conventions", "SampleGitHubAPI", "Sources"]

    /// Every source below those folders; none where they can't be read.
    static let sources: [SourceFile] = (try? folders.flatMap(SourceFile.all(below:))) ?? []
}
