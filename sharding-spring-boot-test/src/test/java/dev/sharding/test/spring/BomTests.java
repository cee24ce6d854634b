package dev.sharding.test.spring;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The bill of materials has no parent, so this keeps it in step with the build.
 */
class BomTests {

	private final XPath xpath = XPathFactory.newInstance().newXPath();

	private final Document build = pom("pom.xml");

	private final Document bom = pom("sharding-bom/pom.xml");

	@Test
	void hasTheVersionsOfTheBuild() throws Exception {
		assertThat(text(this.bom, "/project/version")).isEqualTo(text(this.build, "/project/version"));
		for (String property : List.of("fabric8.version", "vertx.version")) {
			String path = "/project/properties/*[local-name()='" + property + "']";
			assertThat(text(this.bom, path)).isNotEmpty().isEqualTo(text(this.build, path));
		}
	}

	@Test
	void listsEveryPublishedModule() throws Exception {
		Set<String> published = new TreeSet<>();
		for (String module : texts(this.build, "/project/modules/module")) {
			Document pom = pom(module + "/pom.xml");
			boolean isPublished = text(pom, "/project/properties/*[local-name()='maven.deploy.skip']").isEmpty();
			// Nothing depends on a bill of materials or an archetype.
			if (isPublished && !module.equals("sharding-bom") && !module.equals("sharding-archetype")) {
				published.add(text(pom, "/project/artifactId"));
			}
		}
		assertThat(new TreeSet<>(
				texts(this.bom, "/project/dependencyManagement//dependency[groupId='dev.sharding']/artifactId")))
			.isEqualTo(published)
			.contains("sharding-spring-boot-starter", "sharding-core");
	}

	private String text(Document pom, String path) throws Exception {
		return this.xpath.evaluate(path, pom);
	}

	private List<String> texts(Document pom, String path) throws Exception {
		NodeList nodes = (NodeList) this.xpath.evaluate(path, pom, XPathConstants.NODESET);
		List<String> texts = new ArrayList<>();
		for (int i = 0; i < nodes.getLength(); i++) {
			texts.add(nodes.item(i).getTextContent());
		}
		return texts;
	}

	private static Document pom(String path) {
		try {
			return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Path.of("..", path).toFile());
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to read " + path, ex);
		}
	}

}
