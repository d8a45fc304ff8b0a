/// A document with one of everything: kinds, escapes, scripts, numbers, nesting, white space.
enum Sample {
    static let compact = #"""
        {"id":1347,"node_id":"MDU6SXNzdWUx","title":"Found a bug","user":{"login":"octocat","id":1,"site_admin":false},\#
        "labels":[{"id":208045946,"name":"bug","color":"f29513","default":true},{"id":2,"name":"","color":null}],\#
        "body":"line\r\nline \"quoted\" \\ \/ \b\f\t \u00e9 \uD83C\uDF89 \u0000 naïve 日本語 🎉","float":-0.5e+10,\#
        "numbers":[0,-0,1E3,1.25,9223372036854775807,-9223372036854775808,1e400],"empty":[{},[],""],"+1":0}
        """#

    static let indented = """
        \t{
            "name" : "repository with a fairly long description, so that blocks of sixteen bytes are crossed",\r
            "topics" : [ "a", "bb" , "ccc" ,\t"Ω≈ç√" ],
            "nested" : { "a" : { "b" : { "c" : [ [ [ null ] ] ] } } }
        }

        """

    static let all = [compact, indented, #"[["👩‍👩‍👧",1.5],{"k":[true,false,null]}]"#, #""just a string é\n""#, "-12.5e-3"]
}
