/// A model's name with the article that it is spoken with: `an Issue`, `a User`.
package func withArticle(_ name: String) -> String {
    let letters = name.lowercased()
    return (soundsLikeVowel(letters) ? "an " : "a ") + name
}

/// By the beginning: `u` is spoken as in "use" but before some letters, `eu` and `one` as if a consonant came first,
/// the `h` of "hour" not at all.
private func soundsLikeVowel(_ letters: String) -> Bool {
    if ["eu", "one", "once", "uni"].contains(where: letters.hasPrefix) {
        return ["unin"].contains(where: letters.hasPrefix)
    }
    if ["hour", "honor", "honour", "heir"].contains(where: letters.hasPrefix) { return true }
    if letters.hasPrefix("u") { return ["un", "up", "ul", "um"].contains(where: letters.hasPrefix) }
    return ["a", "e", "i", "o"].contains(where: letters.hasPrefix)
}
