package dev.sharding.internal.autoconfigure.runtime;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;

/**
 * Asks beans of the user while the application starts. One that fails, or answers with
 * nonsense, ends the start, and the failure names it.
 */
public final class Customizers {

	private Customizers() {
	}

	/**
	 * Asks all beans of a type in their order.
	 * @param <C> the type
	 * @param type the type
	 * @param beans the beans
	 * @param factory knows their names
	 * @param ask asks one of them
	 */
	public static <C> void ask(Class<C> type, ObjectProvider<C> beans, ListableBeanFactory factory, Consumer<C> ask) {
		beans.orderedStream().forEach((bean) -> ask(type, bean, factory, ask));
	}

	/**
	 * Asks one of several beans.
	 * @param <C> the type
	 * @param type the type
	 * @param bean the bean
	 * @param factory knows its name
	 * @param ask asks it
	 */
	public static <C> void ask(Class<C> type, C bean, ListableBeanFactory factory, Consumer<C> ask) {
		String name = factory.getBeansOfType(type)
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() == bean)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(bean.getClass().getName());
		ask(type, name, () -> {
			ask.accept(bean);
			return name;
		});
	}

	/**
	 * Asks one bean.
	 * @param <R> the class of the answer
	 * @param type as what it is asked
	 * @param bean its name
	 * @param ask asks it
	 * @return the answer
	 * @throws ShardingStartupException if it throws
	 */
	static <R> R ask(Class<?> type, String bean, Supplier<R> ask) {
		try {
			return ask.get();
		}
		catch (ShardingStartupException ex) {
			throw ex;
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw new ShardingStartupException("Bean '%s', a %s, failed: %s".formatted(bean, type.getSimpleName(), ex),
					"Correct the bean '%s'; the stack trace shows where it failed (start with --debug to see it)."
						.formatted(bean),
					ex);
		}
	}

}
