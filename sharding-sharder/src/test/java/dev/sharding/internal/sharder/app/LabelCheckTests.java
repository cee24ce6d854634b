package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class LabelCheckTests {

	@Test
	void refusesAKeyThatWouldLoseItsSlash() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> check("annotations: {cert-manager.io/inject-ca-from: a/b}"))
			.withMessageContaining("'sharding.sharder.webhook.annotations[cert-manager.io/inject-ca-from]'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> check("namespaceSelector: {match-labels: {kubernetes.io/metadata.name: web}}"))
			.withMessageContaining("\"[kubernetes.io/metadata.name]\"");
	}

	@Test
	void acceptsAKeyInBracketsAndOneWithoutSlash() {
		assertThatNoException().isThrownBy(() -> check("annotations: {'[cert-manager.io/inject-ca-from]': a/b}"));
		assertThatNoException().isThrownBy(() -> check("namespace-selector: {match-labels: {team.example: a}}"));
	}

	private static void check(String webhook) throws IOException {
		StandardEnvironment environment = new StandardEnvironment();
		String text = "sharding.sharder.webhook: {" + webhook + "}";
		new YamlPropertySourceLoader()
			.load("application.yaml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
			.forEach(environment.getPropertySources()::addLast);
		new LabelCheck(environment).postProcessBeanFactory(new DefaultListableBeanFactory());
	}

}
