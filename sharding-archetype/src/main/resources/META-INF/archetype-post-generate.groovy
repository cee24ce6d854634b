// Looks at what Maven looks at where it asks only, and what no expression can say. The project is written by then.
import javax.lang.model.SourceVersion

def problems = []
def check = { boolean good, String problem ->
    if (!good) {
        problems << problem
    }
}

String artifactId = request.artifactId
String packageName = request.getPackage()
String kind = request.properties['kind']
String plural = request.properties['plural']
String apiGroup = request.properties['apiGroup']

// Those of archetype-metadata.xml; a test compares them.
check(artifactId ==~ /^[a-z]([-a-z0-9]{0,30}[a-z0-9])?$/,
    "artifactId '$artifactId' cannot name a ring and a Namespace: at most 32 small letters, digits and dashes, a letter first, no dash last")
check(kind ==~ /^[A-Z][A-Za-z0-9]{0,40}$/,
    "kind '$kind' cannot name a kind: at most 41 letters and digits, a capital letter first")
check(plural ==~ /^[a-z][a-z0-9]{0,40}$/ && !SourceVersion.isKeyword(plural),
    "plural '$plural' cannot name a resource and a field: at most 41 small letters and digits, a letter first, no keyword of Java")
check(apiGroup ==~ /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    "apiGroup '$apiGroup' cannot name a group: a domain with a dot, in small letters")
check(SourceVersion.isName(packageName),
    "package '$packageName' cannot name a package of Java, and is the groupId unless -Dpackage says otherwise")

File project = new File(request.outputDirectory, artifactId)
// One name would stand for two classes.
boolean taken = kind in ['Application', 'TestApplication', 'String', 'Override']
project.eachFileRecurse {
    if (it.name.endsWith('.java')) {
        taken |= it.readLines('UTF-8').any { line -> line.startsWith('import ') && line.endsWith('.' + kind + ';') }
    }
}
check(!taken, "kind '$kind' has the name of a class that the project has or imports: choose another one")
if (problems) {
    throw new IllegalArgumentException("This project would not work:\n  " + problems.join("\n  ") + "\nDelete $project, and generate it anew.")
}
