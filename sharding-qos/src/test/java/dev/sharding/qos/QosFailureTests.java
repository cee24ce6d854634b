package dev.sharding.qos;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What who starts an application with rules that cannot be used gets to read. */
@ExtendWith(OutputCaptureExtension.class)
class QosFailureTests {

	@Test
	void startThatFailsSaysWhatToChange(CapturedOutput output) {
		assertThatThrownBy(() -> new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("sharding.qos.enabled=true", "sharding.qos.rules.pods.priority=1",
					"sharding.qos.rules.pods.qos-class=missing")
			.run()).isInstanceOf(RuntimeException.class);
		assertThat(output)
			.contains("APPLICATION FAILED TO START",
					"The QoS rules cannot be used: Rule 'pods' names the class 'missing', which is not defined",
					"Change 'pods' below 'sharding.qos.classes' or 'sharding.qos.rules'.")
			.doesNotContain("Application run failed");
	}

	/** An application with limits and no client. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
