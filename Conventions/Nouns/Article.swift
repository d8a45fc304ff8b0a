/// A model's name with its article: `an Issue`, `a User`.
package func withArticle(_ name: String) -> String {
    let letters = name.lowercased()
    return (soundsLikeVowel(letters) ? "an " : "a ") + name
}

/// Whether the word begins with a vowel sound, guessed from its first letters: "use" and "one" begin with a consonant,
/// "hour" with a vowel.
private func soundsLikeVowel(_ letters: String) -> Bool {
    if ["eu", "one", "once", "uni"].contains(where: letters.hasPrefix) {
        return ["unin"].contains(where: letters.hasPrefix)
    }
    if ["hour", "honor", "honour", "heir"].contains(where: letters.hasPrefix) { return true }
    if letters.hasPrefix("u") { return ["un", "up", "ul", "um"].contains(where: letters.hasPrefix) }
    return ["a", "e", "i", "o"].contains(where: letters.hasPrefix)
}
