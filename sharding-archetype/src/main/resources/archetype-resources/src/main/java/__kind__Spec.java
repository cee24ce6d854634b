package ${package};

import io.fabric8.generator.annotation.Required;

/** What somebody wants. */
public class ${kind}Spec {

	@Required
	public String text;

}
